import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import type { CommandOptions } from '../base/flags.ts'
import { toExitName } from '../../electron/system/program-exits.ts'
import { toConnectionError, getConnectedProfile } from '../base/session.ts'
import { formatError } from '../output/error-text.ts'
import { escapeInvisible } from '../../shared/format/invisible-characters.ts'
import { isObject } from '../../shared/json/object.ts'

async function run(
  { io, openSession }: CommandContext,
  _: readonly string[],
  statusOptions: CommandOptions<[]>,
): Promise<CommandExit> {
  const session = await openSession({ host: statusOptions }).catch((error: unknown) =>
    openSession({ host: statusOptions, isOfflineAllowed: true }).then((offlineSession) => {
      if (offlineSession.app.firstProfile === null) throw error
      return offlineSession
    }),
  )
  const { state, app } = session
  const { profile, token } = await getConnectedProfile(session)
  const isLocked = app.firstProfile?.isLocked ?? profile.readOnly
  const error = state.phase === 'online' ? null : toConnectionError(state)
  const facts = {
    phase: state.phase,
    baseUrl: profile.baseUrl,
    profile: profile.name,
    readOnly: isLocked,
    token: token.state,
    latencyMs: state.latencyMs,
    host: state.host,
    error: error?.wire ?? null,
  }
  if (statusOptions.json) await io.print(`${JSON.stringify(facts, null, 2)}\n`)
  else {
    const { host, phase, ...rest } = facts
    const rows = Object.entries({ ...rest, error: null, ...(isObject(host) ? host : {}) }).filter(
      ([, value]) => value !== null,
    )
    const { success, failure } = io.style
    await io.printText(`${(phase === 'online' ? success : failure)(phase)}\n`)
    for (const [name, value] of rows) await io.printText(`  ${name.padEnd(18)}${escapeInvisible(String(value))}\n`)
  }
  if (!error) return 'ok'
  io.printStderr(formatError(error))
  return toExitName(error)
}

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'Whether the host answers, and what it says about itself',
  description: ['Ends with 0 only if the host answers and takes the token.'],
  args: [],
  flags: [],
  examples: [
    { commandLine: 'status --profile work', description: 'one saved host' },
    {
      commandLine: 'status --base-url http://127.0.0.1:42340 --token-file token --json',
      description: 'any host, for a script',
    },
  ],
  hasHostFlags: true,
  run,
})
