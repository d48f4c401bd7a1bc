import { toExitName } from '../../electron/system/program-exits.ts'
import { createRefusedError } from '../../shared/errors.ts'
import { escapeInvisible } from '../../shared/format/invisible-characters.ts'
import type { DoctorStep } from '../../shared/ipc/connection.ts'
import { isObject } from '../../shared/json/object.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import type { CommandOptions } from '../base/flags.ts'
import { getConnectedProfile, toConnectionError } from '../base/session.ts'
import { formatError, getErrorAdvice } from '../output/error-text.ts'

async function showStatus(
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
    const latencyMs = rest.latencyMs === null ? null : Math.round(rest.latencyMs)
    const rows = Object.entries({ ...rest, latencyMs, error: null, ...(isObject(host) ? host : {}) }).filter(
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
  run: showStatus,
})

const marks: Readonly<Record<DoctorStep['result'], string>> = {
  ok: 'ok',
  failed: 'FAILED',
  warning: 'warning',
  skipped: 'skipped',
}

async function diagnose(
  { io, openSession }: CommandContext,
  _: readonly string[],
  doctorOptions: CommandOptions<[]>,
): Promise<CommandExit> {
  const { call, app } = await openSession({ host: doctorOptions, isOfflineAllowed: true })
  if (app.firstProfile === null)
    throw createRefusedError('NOT_CONNECTED', 'Say which host is meant: --profile NAME, --base-url URL or --demo.')
  const steps = await call('connection.doctor', { profileId: app.firstProfile.id })
  if (doctorOptions.json) await io.print(`${JSON.stringify(steps, null, 2)}\n`)
  else
    for (const { step, result, code, message, action: serviceAdvice } of steps) {
      const action = getErrorAdvice(code) ?? serviceAdvice
      const { success, failure, dim } = io.style
      const mark = (result === 'ok' ? success : result === 'failed' ? failure : dim)(marks[result].padEnd(8))
      await io.printText(`${mark}  ${step.padEnd(13)}${escapeInvisible(message)}\n`)
      if (result !== 'ok' && result !== 'skipped' && action !== '')
        await io.printText(`${' '.repeat(23)}${escapeInvisible(action)}\n`)
    }
  const failedStep = steps.find(({ result }) => result === 'failed')
  if (!failedStep) return 'ok'
  io.printStderr(`${failedStep.code}: ${failedStep.message}`)
  return failedStep.step === 'token' ? 'token' : 'offline'
}

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Check a connection step by step, and say what to do about the step that fails',
  description: ['Checks the address, the port, TLS, the path, the token and the capabilities, in this order.'],
  args: [],
  flags: [],
  examples: [
    {
      commandLine: 'doctor --base-url http://127.0.0.1:42340 --token-file token',
      description: 'why does it not connect?',
    },
  ],
  hasHostFlags: true,
  run: diagnose,
})
