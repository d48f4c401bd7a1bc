import type { AgentQuery } from '../../shared/ipc/agent-socket.ts'
import type { IpcOutput } from '../../shared/ipc/index.ts'
import { compareJson, type JsonChange } from '../../shared/bridge/compare.ts'
import type { StoredBody } from '../../shared/traffic/exchange.ts'

/** Of a body that is read for one exchange. */
const MAX_BODY_BYTES = 8_000_000
const MAX_CHANGES = 200

/** Asks for what was recorded, in the running app or in this session. */
export type QueryFunction = (query: AgentQuery) => Promise<unknown>

interface ReadBody {
  /** As JSON text: the body itself, or its text. `null` where nothing is kept, or it is no text. */
  readonly json: string
  /** The value; undefined where the body is not whole, or no JSON. */
  readonly value: unknown
  readonly hash: string | null
}

interface RecordedExchange {
  readonly detail: IpcOutput<'traffic.exchange'>
  readonly request: ReadBody
  readonly response: ReadBody
}

/** One exchange with its bodies. Throws `EXCHANGE_UNKNOWN`. */
export async function readExchange(ask: QueryFunction, seq: number): Promise<RecordedExchange> {
  const head = (await ask({ ask: 'exchange', seq })) as IpcOutput<'traffic.exchange'>
  const [request, response] = await Promise.all(
    (['request', 'response'] as const).map((side) => readBody(ask, seq, side, head[side])),
  )
  if (!request || !response) throw new Error('an exchange has two bodies')
  return { detail: head, request, response }
}

async function readBody(
  ask: QueryFunction,
  seq: number,
  side: 'request' | 'response',
  body: StoredBody,
): Promise<ReadBody> {
  const { kept, missing, hash, mediaType } = body
  if (kept === 0 || !/json|^text\/|xml|javascript|urlencoded|^$/i.test(mediaType)) {
    return { json: 'null', value: undefined, hash }
  }
  const pieces: Buffer[] = []
  let start = 0
  while (start < Math.min(kept, MAX_BODY_BYTES)) {
    const { base64 } = (await ask({ ask: 'body', seq, side, start })) as { base64: string }
    const piece = Buffer.from(base64, 'base64')
    if (piece.byteLength === 0) break
    pieces.push(piece)
    start += piece.byteLength
  }
  const text = Buffer.concat(pieces).toString()
  try {
    const value = JSON.parse(text) as unknown
    const isWhole = missing === null && start >= kept
    return { json: text, value: isWhole ? value : undefined, hash }
  } catch {
    return { json: JSON.stringify(text), value: undefined, hash }
  }
}

const requestLine = ({ detail: { row, requestHeaders } }: RecordedExchange) => ({
  method: row.method,
  path: row.path,
  host: row.host,
  origin: row.origin,
  headers: toObject(requestHeaders),
})

const responseLine = ({ detail: { row, responseHeaders } }: RecordedExchange) => ({
  state: row.state,
  status: row.status,
  errorCode: row.errorCode,
  bytes: row.bytes,
  durationMs: row.durationMs,
  headers: toObject(responseHeaders),
})

function toObject(headers: IpcOutput<'traffic.exchange'>['requestHeaders']): Record<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    const earlier = values.get(key)
    values.set(key, earlier === undefined ? value : `${earlier}, ${value}`)
  }
  return Object.fromEntries(values)
}

function changesOf(before: unknown, after: unknown) {
  const { changes, total } = compareJson(before, after)
  return { total, changes: changes.slice(0, MAX_CHANGES).map(toChangeEntry) }
}

/** A change as the tool's result has it: the names of its members are part of what the tool promises. */
const toChangeEntry = ({ kind, pointerBefore, pointerAfter, id, textBefore, textAfter }: JsonChange) => ({
  kind,
  before: pointerBefore,
  after: pointerAfter,
  id,
  from: textBefore,
  to: textAfter,
})

/** Bodies that are not whole, or no JSON, are only called equal or not, and only where their hash says so. */
function bodyChanges(before: ReadBody, after: ReadBody) {
  if (before.hash !== null && before.hash === after.hash) return { same: true }
  if (before.value !== undefined && after.value !== undefined) return changesOf(before.value, after.value)
  return before.hash === null && after.hash === null ? { same: null, reason: 'nothing is kept' } : { same: false }
}

/** What differs between two exchanges. */
export const compareExchanges = (before: RecordedExchange, after: RecordedExchange) => ({
  request: changesOf(requestLine(before), requestLine(after)),
  response: changesOf(responseLine(before), responseLine(after)),
  requestBody: bodyChanges(before.request, after.request),
  responseBody: bodyChanges(before.response, after.response),
})
