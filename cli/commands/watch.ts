import { command, type Context, type Ending } from '../base/command.ts'
import { optionsOf } from '../base/flags.ts'
import { untilSettled, exitOf, verdictText } from '../writing/verdict.ts'
import { timeoutOf } from '../writing/write.ts'
import type { z } from 'zod'

const options = optionsOf({})

async function run(
  context: Context,
  [requestId = '']: readonly string[],
  given: z.infer<typeof options>,
): Promise<Ending> {
  const ms = timeoutOf(given)
  const { io, signal } = context
  const session = await context.open({ host: given, timeLimit: 'none' })
  const record = await untilSettled(session, await session.call('operations.watch', { requestId }), io, signal, ms)
  const { verdict, state, outcome, observations } = record.summary
  if (given.json) await io.print(`${JSON.stringify(record, null, 2)}\n`)
  else await io.say(`${verdict.code}\n`)
  io.remark(
    `${verdictText(verdict.code)} State: ${state}, outcome: ${outcome ?? 'not reported'}, looked ${observations} times.`,
  )
  return signal.aborted ? 'interrupted' : exitOf(record, 'write')
}

/** `watch REQUEST-ID`: how a pencil commit ends. */
export const watchCommand = command({
  name: 'watch',
  summary: 'Wait for the outcome of a pencil commit, also of one that a plugin made',
  about: [
    'Asks the host for the outcome by the request id, less and less often, until it is settled. Prints the verdict; ends with 0 only if the canvas is saved. Reads only: it works beside a running app, and nothing is recorded.',
  ],
  args: [{ name: 'request-id', required: true, about: 'requestId of the commit' }],
  flags: [],
  examples: [{ line: 'watch REQUEST-ID --profile work && echo saved', about: 'go on only if it is saved' }],
  host: true,
  options,
  run,
})
