import type { AgentQuery } from '../../electron/core/agent-socket.ts'
import type { IpcOutput } from '../../shared/ipc/index.ts'
import { compareJson, type JsonChange } from '../../shared/bridge/compare.ts'
import type { StoredBody } from '../../shared/traffic/exchange.ts'

const MAX_BODY_BYTES = 8_000_000
const MAX_CHANGES = 200

/** The query goes to the running app or to this session. */
export type QueryFunction = (query: AgentQuery) => Promise<unknown>

interface ReadBody {
  /** The body, or its text as a JSON string; `null` if nothing is stored or it is not text. */
  readonly json: string
  /** The parsed body; undefined if the body is incomplete or not JSON. */
  readonly value: unknown
  readonly hash: string | null
}

interface RecordedExchange {
  readonly detail: IpcOutput<'traffic.exchange'>
  readonly request: ReadBody
  readonly response: ReadBody
}

/**
 * Reads the bodies too.
 * @throws EXCHANGE_UNKNOWN when no exchange has this `seq`
 */
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
  const chunks: Buffer[] = []
  let start = 0
  while (start < Math.min(kept, MAX_BODY_BYTES)) {
    const { base64 } = (await ask({ ask: 'body', seq, side, start })) as { base64: string }
    const chunk = Buffer.from(base64, 'base64')
    if (chunk.byteLength === 0) break
    chunks.push(chunk)
    start += chunk.byteLength
  }
  const text = Buffer.concat(chunks).toString()
  try {
    const value = JSON.parse(text) as unknown
    const isWhole = missing === null && start >= kept
    return { json: text, value: isWhole ? value : undefined, hash }
  } catch {
    return { json: JSON.stringify(text), value: undefined, hash }
  }
}

const toRequestHead = ({ detail: { row, requestHeaders } }: RecordedExchange) => ({
  method: row.method,
  path: row.path,
  host: row.host,
  origin: row.origin,
  headers: toObject(requestHeaders),
})

const toResponseHead = ({ detail: { row, responseHeaders } }: RecordedExchange) => ({
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

function listChanges(before: unknown, after: unknown) {
  const { changes, total } = compareJson(before, after)
  return { total, changes: changes.slice(0, MAX_CHANGES).map(toChangeEntry) }
}

const toChangeEntry = ({ kind, pointerBefore, pointerAfter, id, textBefore, textAfter }: JsonChange) => ({
  kind,
  before: pointerBefore,
  after: pointerAfter,
  id,
  from: textBefore,
  to: textAfter,
})

/** Bodies that are incomplete or not JSON can only be compared by their hash. */
function compareBodies(before: ReadBody, after: ReadBody) {
  if (before.hash !== null && before.hash === after.hash) return { same: true }
  if (before.value !== undefined && after.value !== undefined) return listChanges(before.value, after.value)
  return before.hash === null && after.hash === null ? { same: null, reason: 'nothing is kept' } : { same: false }
}

export function compareExchanges(before: RecordedExchange, after: RecordedExchange) {
  return {
    request: listChanges(toRequestHead(before), toRequestHead(after)),
    response: listChanges(toResponseHead(before), toResponseHead(after)),
    requestBody: compareBodies(before.request, after.request),
    responseBody: compareBodies(before.response, after.response),
  }
}
