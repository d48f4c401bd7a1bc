import type { DoctorStep } from '../../shared/ipc/connection.ts'
import { createRefusedError } from '../../shared/errors.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import type { CommandOptions } from '../base/flags.ts'
import { getErrorAdvice } from '../output/error-text.ts'
import { escapeInvisible } from '../../shared/format/invisible-characters.ts'

const marks: Readonly<Record<DoctorStep['result'], string>> = {
  ok: 'ok',
  failed: 'FAILED',
  warning: 'warning',
  skipped: 'skipped',
}

async function run(
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
  run,
})
