import type { JsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import { getMember } from '../../shared/json/object.ts'
import type { ReadInput } from '../../shared/ipc/bridge.ts'
import type { CommandContext, CommandExit } from '../base/command.ts'
import type { OutputFormat, HostOptions } from '../base/flags.ts'
import { parseResponseList, type ResponseList } from '../output/response-list.ts'
import { createEntryPrinter, chooseFormat, type EntryLayout } from '../output/entry-printer.ts'

interface Asked extends Pick<ReadInput, 'params' | 'query'> {
  readonly id: JsonEndpointId
  readonly host: HostOptions
  readonly json: boolean | undefined
  readonly format: OutputFormat | undefined
  readonly shown: EntryLayout
  /** Another list than the one that the answer consists of. */
  readonly list?: string
}

/** Reads one answer and prints the list it consists of; with `json` the answer itself, as the host sent it. */
export async function printList(
  { io, openSession: open }: CommandContext,
  { id, params, query, host, json, format, shown, list }: Asked,
): Promise<CommandExit> {
  const { call } = await open({ host })
  const { bytes } = await call('bridge.read', { endpoint: id, params, query })
  const sent = new Uint8Array(bytes)
  const wanted = chooseFormat(io, format, json)
  const listed = parseResponseList(id, sent, list)
  if (wanted === 'json') {
    await io.print(sent)
    if (sent.at(-1) !== 10) await io.print('\n')
  } else {
    const printer = createEntryPrinter(io, wanted, shown)
    await printer.printEntries(listed.entries)
    await printer.printEnd()
  }
  const stated = getMember(listed.value, 'count')
  if (typeof stated === 'number' && stated !== listed.entries.length)
    io.printNote(`The host says ${stated}, and sent ${listed.entries.length}.`)
  return reportListProblems(io, listed)
}

/** Says what is special about a list, and how the command ends because of it. */
function reportListProblems(
  io: CommandContext['io'],
  { problemCount: problems, isTruncated: truncated }: Pick<ResponseList, 'problemCount' | 'isTruncated'>,
): CommandExit {
  if (problems > 0)
    io.printNote(`Not as the contract has it: ${problems} ${problems === 1 ? 'place' : 'places'} in the answer.`)
  if (truncated) io.printStderr('LIST_TRUNCATED: The host says that this list is not complete.')
  return truncated ? 'partial' : 'ok'
}
