import type { DoctorStep } from '../../shared/ipc/connection.ts'
import { refused } from '../../shared/errors.ts'
import { command, type Context, type Ending } from '../base/command.ts'
import { optionsOf } from '../base/flags.ts'
import { actionFor } from '../output/host-error.ts'
import { escapeUnseen } from '../../shared/format/invisible.ts'
import type { z } from 'zod'

const options = optionsOf({})
const marks: Readonly<Record<DoctorStep['result'], string>> = {
  ok: 'ok',
  failed: 'FAILED',
  warning: 'warning',
  skipped: 'skipped',
}

async function run({ io, open }: Context, _: readonly string[], given: z.infer<typeof options>): Promise<Ending> {
  const { call, app } = await open({ host: given, anyState: true })
  if (app.first === null)
    throw refused('NOT_CONNECTED', 'Say which host is meant: --profile NAME, --base-url URL or --demo.')
  const steps = await call('connection.doctor', { profileId: app.first.id })
  if (given.json) await io.print(`${JSON.stringify(steps, null, 2)}\n`)
  else
    for (const { step, result, code, message, ...given } of steps) {
      const action = actionFor(code) ?? given.action
      const { good, bad, dim } = io.style
      const mark = (result === 'ok' ? good : result === 'failed' ? bad : dim)(marks[result].padEnd(8))
      await io.say(`${mark}  ${step.padEnd(13)}${escapeUnseen(message)}\n`)
      if (result !== 'ok' && result !== 'skipped' && action !== '')
        await io.say(`${' '.repeat(23)}${escapeUnseen(action)}\n`)
    }
  const failed = steps.find(({ result }) => result === 'failed')
  if (!failed) return 'ok'
  io.complain(`${failed.code}: ${failed.message}`)
  return failed.step === 'token' ? 'token' : 'offline'
}

/** `doctor`: each step of a connection, from the address to the capabilities. */
export const doctorCommand = command({
  name: 'doctor',
  summary: 'Check a connection step by step, and say what to do about the step that fails',
  about: ['Checks the address, the port, TLS, the path, the token and the capabilities, in this order.'],
  args: [],
  flags: [],
  examples: [
    { line: 'doctor --base-url http://127.0.0.1:42340 --token-file token', about: 'why does it not connect?' },
  ],
  host: true,
  options,
  run,
})
