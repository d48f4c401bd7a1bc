import type { AgentCallFunction } from '../../electron/core/agent-socket.ts'
import type { IpcOutput } from '../../shared/ipc/index.ts'
import { compareJson, type JsonChange } from '../../shared/bridge/compare.ts'
import type { StoredBody } from '../../shared/traffic/exchange.ts'

const MAX_BODY_BYTES = 8_000_000
const MAX_CHANGES = 200

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

/** Reads the bodies too. @throws EXCHANGE_UNKNOWN when no exchange has this `seq` */
export async function readExchange(call: AgentCallFunction, seq: number): Promise<RecordedExchange> {
  const detail = await call('traffic.exchange', { seq })
  const [request, response] = await Promise.all([
    readBody(call, { seq, side: 'request' }, detail.request),
    readBody(call, { seq, side: 'response' }, detail.response),
  ])
  return { detail, request, response }
}

async function readBody(
  call: AgentCallFunction,
  body: { readonly seq: number; readonly side: 'request' | 'response' },
  { kept, missing, hash, mediaType }: StoredBody,
): Promise<ReadBody> {
  if (kept === 0 || !/json|^text\/|xml|javascript|urlencoded|^$/i.test(mediaType)) {
    return { json: 'null', value: undefined, hash }
  }
  const { bytes } = await call('traffic.body', { ...body, start: 0, end: MAX_BODY_BYTES })
  const text = Buffer.from(bytes).toString()
  try {
    const value = JSON.parse(text) as unknown
    const isWhole = missing === null && bytes.byteLength >= kept
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
