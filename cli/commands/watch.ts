import { verdictTexts } from '../../shared/operations/operation-verdict.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import type { CommandOptions } from '../base/flags.ts'
import { waitForOutcome, getExitName } from '../writes/verdict.ts'
import { parseTimeoutMs } from '../writes/write.ts'

async function run(
  context: CommandContext,
  [requestId = '']: readonly string[],
  watchOptions: CommandOptions<[]>,
): Promise<CommandExit> {
  const timeoutMs = parseTimeoutMs(watchOptions)
  const { io, signal } = context
  const session = await context.openSession({ host: watchOptions, timeLimit: 'none' })
  const record = await waitForOutcome(
    session,
    await session.call('operations.watch', { requestId }),
    io,
    signal,
    timeoutMs,
  )
  const { verdict, state, outcome, observations } = record.summary
  if (watchOptions.json) await io.print(`${JSON.stringify(record, null, 2)}\n`)
  else await io.printText(`${verdict.code}\n`)
  io.printNote(
    `${verdictTexts[verdict.code]} State: ${state}, outcome: ${outcome ?? 'not reported'}, looked ${observations} times.`,
  )
  return signal.aborted ? 'interrupted' : getExitName(record, 'write')
}

export const watchCommand = defineCommand({
  name: 'watch',
  summary: 'Wait for the outcome of a pencil commit, also of one that a plugin made',
  description: [
    'Asks the host for the outcome by the request id, less and less often, until it is settled. Prints the verdict; ends with 0 only if the canvas is saved. Reads only: it works beside a running app, and nothing is recorded.',
  ],
  args: [{ name: 'request-id', required: true, description: 'requestId of the commit' }],
  flags: [],
  examples: [
    { commandLine: 'watch REQUEST-ID --profile work && echo saved', description: 'go on only if it is saved' },
  ],
  hasHostFlags: true,
  run,
})
