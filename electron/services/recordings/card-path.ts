// Lists the cards that the requests of a run named, in order. run-reader.ts reads the run.
import { collectCardIds } from '../../../shared/bridge/data-change.ts'
import { classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import type { IpcOutput } from '../../../shared/ipc/index.ts'
import { MAX_PATH_CALLS, MAX_PATH_NAMES, type CardCall } from '../../../shared/ipc/recordings.ts'
import type { ReadExchange, RunReader } from './run-reader.ts'

/** @param pause lets others have their turn */
export async function readCardPath(
  reader: Pick<RunReader, 'readExchanges'>,
  pause: () => Promise<void>,
): Promise<IpcOutput<'recordings.cardPath'>> {
  const calls: CardCall[] = []
  const indexByNoteid = new Map<string, number>()
  let [searched, unread, nameCount, isCut] = [0, 0, 0, false]
  for await (const read of reader.readExchanges()) {
    await pause()
    const { seq, startedAt, method, path } = read.exchange.row
    const { access, endpoint, params } = classifyRequest(method, path)
    const { noteids, isWhole } = findNamedCards(read, params)
    isCut = calls.length === MAX_PATH_CALLS || nameCount + noteids.length > MAX_PATH_NAMES
    if (isCut) break
    searched += 1
    if (!isWhole) unread += 1
    if (noteids.length === 0) continue
    nameCount += noteids.length
    const cards = noteids.map((noteid) => {
      const index = indexByNoteid.get(noteid) ?? indexByNoteid.size
      indexByNoteid.set(noteid, index)
      return index
    })
    calls.push({ seq, startedAt, method, template: endpoint?.path ?? null, isWrite: access !== 'read', cards })
  }
  return { noteids: [...indexByNoteid.keys()], calls, searched, unread, isCut }
}

function findNamedCards({ exchange, requestText }: ReadExchange, params: Readonly<Record<string, string>>) {
  const [, query = ''] = exchange.row.path.split('?', 2)
  const body = parseBody(requestText)
  const { ids, isWhole } = collectCardIds(params, Object.fromEntries(new URLSearchParams(query)), body)
  return {
    noteids: ids /** False if the request may name more cards than these. */,
    isWhole: isWhole && body !== undefined && exchange.request.missing === null,
  }
}

/** Returns undefined if the body is not stored, too long, or no JSON. */
function parseBody(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
