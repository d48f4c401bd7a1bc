import { defineCommand } from '../base/command.ts'
import { escapeInvisible } from '../../shared/format/invisible-characters.ts'

export const profilesCommand = defineCommand({
  name: 'profiles',
  summary: 'List the saved profiles: name, address, whether it may write, what is known of its token',
  description: [
    'The token itself is never shown. "locked" means that it is in the operating system’s keyring, which only the installed app can ask: start its program with the same words, or give the token with --token-file or BRIDGE_TOKEN.',
  ],
  args: [],
  flags: [{ name: 'data-dir', valueName: 'DIR', description: 'where profiles are kept' }],
  examples: [{ commandLine: 'profiles --json', description: 'for a script' }],
  async run({ io, openSession }, _, { json, dataDir }) {
    const { call } = await openSession({ host: { dataDir }, isOfflineAllowed: true })
    const views = await call('profiles.list', {})
    if (json) {
      await io.print(`${JSON.stringify(views, null, 2)}\n`)
      return 'ok'
    }
    for (const { profile, token } of views) {
      const parts = [
        profile.name,
        profile.baseUrl,
        profile.readOnly ? 'read-only' : 'may write',
        `token: ${token.state}`,
        profile.id,
      ]
      await io.printText(`${parts.map(escapeInvisible).join('  ')}\n`)
    }
    if (views.length === 0) io.printNote('There are no saved profiles.')
    return 'ok'
  },
})
