import type { JsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import { AppError } from '../../shared/errors.ts'
import { toExitName } from '../../shared/program-exits.ts'
import { formatError } from '../output/error-text.ts'
import { getMember } from '../../shared/json/object.ts'
import type { ReadInput } from '../../shared/ipc/bridge.ts'
import type { CommandContext, CommandExit } from '../base/command.ts'
import type { OutputFormat, HostOptions } from '../base/flags.ts'
import { parseResponseList, type ResponseList } from '../output/response-list.ts'
import { createEntryPrinter, chooseOutputFormat, type EntryLayout } from '../output/entry-printer.ts'

interface ListRequest extends Pick<ReadInput, 'params' | 'query'> {
  readonly id: JsonEndpointId
  readonly host: HostOptions
  readonly json: boolean | undefined
  readonly format: OutputFormat | undefined
  readonly layout: EntryLayout
  /** Required if the list is not the main list of the response. */
  readonly list?: string
}

/** With `json`, prints the response as the host sent it. */
export async function printList(
  { io, openSession }: CommandContext,
  { id, params, query, host, json, format, layout, list }: ListRequest,
): Promise<CommandExit> {
  const { call } = await openSession({ host })
  const { bytes } = await call('bridge.read', { endpoint: id, params, query })
  const body = new Uint8Array(bytes)
  const chosenFormat = chooseOutputFormat(io, format, json)
  const responseList = parseKnownList(id, body, list)
  if (chosenFormat === 'json' || responseList instanceof AppError) {
    await io.print(body)
    if (body.at(-1) !== 10) await io.print('\n')
  }
  if (responseList instanceof AppError) {
    io.printStderr(formatError(responseList))
    return toExitName(responseList)
  }
  if (chosenFormat !== 'json') {
    const printer = createEntryPrinter(io, chosenFormat, layout)
    await printer.printEntries(responseList.entries)
    await printer.printEnd()
  }
  const reportedCount = getMember(responseList.value, 'count')
  if (typeof reportedCount === 'number' && reportedCount !== responseList.entries.length)
    io.printNote(`The host says ${reportedCount}, and sent ${responseList.entries.length}.`)
  return reportListProblems(io, responseList)
}

/** Returns the error if the program does not know the shape of the response. */
function parseKnownList(id: JsonEndpointId, body: Uint8Array, list?: string): ResponseList | AppError {
  try {
    return parseResponseList(id, body, list)
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unread') return error
    throw error
  }
}

/** Reports problems of the response on standard error. Returns the exit of the command. */
function reportListProblems(
  io: CommandContext['io'],
  { problemCount, isTruncated }: Pick<ResponseList, 'problemCount' | 'isTruncated'>,
): CommandExit {
  if (problemCount > 0)
    io.printNote(
      `Not as the contract has it: ${problemCount} ${problemCount === 1 ? 'place' : 'places'} in the answer.`,
    )
  if (isTruncated) io.printStderr('LIST_TRUNCATED: The host says that this list is not complete.')
  return isTruncated ? 'partial' : 'ok'
}
