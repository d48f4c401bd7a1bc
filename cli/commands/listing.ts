import type { JsonId } from '../../shared/bridge/endpoints/index.ts'
import { member } from '../../shared/json/object.ts'
import type { ReadInput } from '../../shared/ipc/bridge.ts'
import type { Context, Ending } from '../base/command.ts'
import type { Format, HostOptions } from '../base/flags.ts'
import { entriesOf, type Listed } from '../output/entries.ts'
import { createPrinter, formatFor, type Shown } from '../output/printer.ts'

interface Asked extends Pick<ReadInput, 'params' | 'query'> {
  readonly id: JsonId
  readonly host: HostOptions
  readonly json: boolean | undefined
  readonly format: Format | undefined
  readonly shown: Shown
  /** Another list than the one that the answer consists of. */
  readonly list?: string
}

/** Reads one answer and prints the list it consists of; with `json` the answer itself, as the host sent it. */
export async function printListing(
  { io, open }: Context,
  { id, params, query, host, json, format, shown, list }: Asked,
): Promise<Ending> {
  const { call } = await open({ host })
  const { bytes } = await call('bridge.read', { endpoint: id, params, query })
  const sent = new Uint8Array(bytes)
  const wanted = formatFor(io, format, json)
  const listed = entriesOf(id, sent, list)
  if (wanted === 'json') {
    await io.print(sent)
    if (sent.at(-1) !== 10) await io.print('\n')
  } else {
    const printer = createPrinter(io, wanted, shown)
    await printer.print(listed.entries)
    await printer.end()
  }
  const stated = member(listed.value, 'count')
  if (typeof stated === 'number' && stated !== listed.entries.length)
    io.remark(`The host says ${stated}, and sent ${listed.entries.length}.`)
  return remarkOn(io, listed)
}

/** Says what is special about a list, and how the command ends because of it. */
function remarkOn(io: Context['io'], { problems, truncated }: Pick<Listed, 'problems' | 'truncated'>): Ending {
  if (problems > 0)
    io.remark(`Not as the contract has it: ${problems} ${problems === 1 ? 'place' : 'places'} in the answer.`)
  if (truncated) io.complain('LIST_TRUNCATED: The host says that this list is not complete.')
  return truncated ? 'partial' : 'ok'
}
