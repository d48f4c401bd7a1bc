import type { JsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import { getMember } from '../../shared/json/object.ts'
import type { ReadInput } from '../../shared/ipc/bridge.ts'
import type { CommandContext, CommandExit } from '../base/command.ts'
import type { OutputFormat, HostOptions } from '../base/flags.ts'
import { parseResponseList, printResponse, type ResponseList } from '../output/response-list.ts'
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
  const responseList = parseResponseList(id, body, list)
  if (chosenFormat === 'json') await printResponse(io, body)
  else {
    const printer = createEntryPrinter(io, chosenFormat, layout)
    await printer.printEntries(responseList.entries)
    await printer.printEnd()
  }
  const reportedCount = getMember(responseList.value, 'count')
  if (typeof reportedCount === 'number' && reportedCount !== responseList.entries.length)
    io.printNote(`The host says ${reportedCount}, and sent ${responseList.entries.length}.`)
  return reportListProblems(io, responseList)
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
