import { command } from '../base/command.ts'
import { optionsOf } from '../base/flags.ts'
import { escapeUnseen } from '../../shared/format/invisible.ts'

/** `profiles`: the saved hosts. */
export const profilesCommand = command({
  name: 'profiles',
  summary: 'List the saved profiles: name, address, whether it may write, what is known of its token',
  about: [
    'The token itself is never shown. "locked" means that it is in the operating system’s keyring, which only the installed app can ask: start its program with the same words, or give the token with --token-file or BRIDGE_TOKEN.',
  ],
  args: [],
  flags: [{ name: 'data-dir', value: 'DIR', about: 'where profiles are kept' }],
  examples: [{ line: 'profiles --json', about: 'for a script' }],
  options: optionsOf({}),
  async run({ io, open }, _, { json, dataDir }) {
    const { call } = await open({ host: { dataDir }, anyState: true })
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
      await io.say(`${parts.map(escapeUnseen).join('  ')}\n`)
    }
    if (views.length === 0) io.remark('There are no saved profiles.')
    return 'ok'
  },
})
