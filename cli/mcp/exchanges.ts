import type { AgentQuery } from '../../shared/ipc/agent-socket.ts'
import type { Output } from '../../shared/ipc/index.ts'
import { compare } from '../../shared/bridge/compare.ts'
import type { KeptBody } from '../../shared/traffic/exchange.ts'

/** Of a body that is read for one exchange. */
const MAX_BODY_BYTES = 8_000_000
const MAX_CHANGES = 200

/** Asks for what was recorded, in the running app or in this session. */
export type Ask = (query: AgentQuery) => Promise<unknown>

interface ReadBody {
  /** As JSON text: the body itself, or its text. `null` where nothing is kept, or it is no text. */
  readonly json: string
  /** The value; undefined where the body is not whole, or no JSON. */
  readonly value: unknown
  readonly hash: string | null
}

interface ReadExchange {
  readonly head: Output<'traffic.exchange'>
  readonly request: ReadBody
  readonly response: ReadBody
}

/** One exchange with its bodies. Throws `EXCHANGE_UNKNOWN`. */
export async function readExchange(ask: Ask, seq: number): Promise<ReadExchange> {
  const head = (await ask({ ask: 'exchange', seq })) as Output<'traffic.exchange'>
  const [request, response] = await Promise.all(
    (['request', 'response'] as const).map((side) => readBody(ask, seq, side, head[side])),
  )
  if (!request || !response) throw new Error('an exchange has two bodies')
  return { head, request, response }
}

async function readBody(ask: Ask, seq: number, side: 'request' | 'response', body: KeptBody): Promise<ReadBody> {
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

const requestLine = ({ head: { row, requestHeaders } }: ReadExchange) => ({
  method: row.method,
  path: row.path,
  host: row.host,
  origin: row.origin,
  headers: toObject(requestHeaders),
})

const responseLine = ({ head: { row, responseHeaders } }: ReadExchange) => ({
  state: row.state,
  status: row.status,
  errorCode: row.errorCode,
  bytes: row.bytes,
  durationMs: row.durationMs,
  headers: toObject(responseHeaders),
})

function toObject(headers: Output<'traffic.exchange'>['requestHeaders']): Record<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    const earlier = values.get(key)
    values.set(key, earlier === undefined ? value : `${earlier}, ${value}`)
  }
  return Object.fromEntries(values)
}

function changesOf(before: unknown, after: unknown) {
  const { changes, total } = compare(before, after)
  return { total, changes: changes.slice(0, MAX_CHANGES) }
}

/** Bodies that are not whole, or no JSON, are only called equal or not, and only where their hash says so. */
function bodyChanges(before: ReadBody, after: ReadBody) {
  if (before.hash !== null && before.hash === after.hash) return { same: true }
  if (before.value !== undefined && after.value !== undefined) return changesOf(before.value, after.value)
  return before.hash === null && after.hash === null ? { same: null, reason: 'nothing is kept' } : { same: false }
}

/** What differs between two exchanges. */
export const compareExchanges = (before: ReadExchange, after: ReadExchange) => ({
  request: changesOf(requestLine(before), requestLine(after)),
  response: changesOf(responseLine(before), responseLine(after)),
  requestBody: bodyChanges(before.request, after.request),
  responseBody: bodyChanges(before.response, after.response),
})
