import type { WireError } from '../../../shared/errors.ts'
import type { ExchangeRow, Header, StoredBody, ExchangeDetail } from '../../../shared/traffic/exchange.ts'
import { isJsonType } from '../bridge/client/response.ts'
import type { ExchangeStart, ExchangeEnd } from '../bridge/types.ts'
import type { RawHeaders } from '../bridge/exchange-trace.ts'
import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'

/** A row of an exchange that has no place in the store yet. */
export type PendingRow = Omit<ExchangeRow, 'seq'>

/** A body as it is handed over. */
export interface RawBody extends Pick<StoredBody, 'total' | 'missing' | 'mediaType'> {
  /** A copy that belongs to the entry; null if nothing is kept. */
  readonly bytes: Uint8Array<ArrayBuffer> | null
  readonly isJson: boolean
}

/** An exchange as it is handed over to the store, with whatever tokens its host echoed. */
export interface RawEntry {
  readonly row: PendingRow
  /**
   * When it began and ended by a clock that only runs forward: what the order of exchanges and the
   * time between them are taken from. The clock that people see may be set back.
   */
  readonly beganAt: number
  readonly endedAt: number
  readonly requestHeaders: readonly Header[]
  readonly responseHeaders: readonly Header[]
  readonly error: WireError | null
  readonly request: RawBody
  readonly response: RawBody
  /** The token that it was sent with. */
  readonly token: string | null
}

/** Stands in for values that are secrets whatever they are. */
const HIDDEN = '[redacted]'
const secretHeader =
  /^(?:set-cookie2?|cookie2?|(?:proxy-)?authorization|.*(?:token|secret|api-?key|password|credential).*)$/i
/** Characters of one header that are kept, and how many headers. */
const MAX_HEADER_CHARS = 4_000
const MAX_HEADERS = 200

function headersOf(headers: RawHeaders, auth: string | null): Header[] {
  return headers.slice(0, MAX_HEADERS).map(([name, value]) => {
    const isSecret = secretHeader.test(name) || name.toLowerCase() === auth
    return [name, isSecret ? hidden(value) : value.slice(0, MAX_HEADER_CHARS)]
  })
}

/** The scheme of an authorization says nothing, and tells whether it is the right one. */
const hidden = (value: string): string => `${/^(?:Bearer|Basic|Digest|Token) /i.exec(value)?.[0] ?? ''}${HIDDEN}`

const headerOf = (headers: RawHeaders, name: string): string =>
  (headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? '').slice(0, 200)

/** An exchange under way, as lists show it. */
export function createPendingRow(begun: ExchangeStart): PendingRow {
  const { endpoint, method, target, path, body, fileBytes } = begun
  const isKnown = endpoint.id !== ''
  return {
    id: begun.id,
    startedAt: begun.startedAt,
    durationMs: null,
    timing: { queued: null, connected: null, sent: null, firstByte: null, lastByte: null },
    method,
    path,
    endpoint: isKnown ? endpoint.id : null,
    template: isKnown ? endpoint.path : (path.split('?', 1)[0] ?? path),
    origin: begun.origin,
    state: 'pending',
    status: null,
    errorCode: null,
    attempt: begun.attempt,
    group: begun.group,
    epoch: target.epoch,
    instance: target.instanceNonce ?? null,
    host: target.baseUrl,
    requestBytes: body?.byteLength ?? fileBytes ?? 0,
    wireBytes: null,
    bytes: 0,
    mediaType: '',
    pinned: false,
    rule: begun.rule ?? null,
  }
}

/** Why a body is not kept, whatever there is of it; null if it may be kept, up to `limit` bytes. */
export type BodyAllowance = { readonly maxBytes: number; readonly missing: StoredBody['missing'] }

// `slice` of a Buffer is no copy.
const copyOf = (bytes: Uint8Array, limit: number): Uint8Array<ArrayBuffer> => new Uint8Array(bytes.subarray(0, limit))

/** The bytes themselves, if they are all that their buffer holds. */
function wholeOf({ buffer, byteLength }: Uint8Array, limit: number): Uint8Array<ArrayBuffer> | null {
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength <= limit
  return isWhole ? new Uint8Array(buffer) : null
}

/**
 * An exchange that has ended. What is kept of its bodies is copied, unless it is given: the caller
 * goes on using them.
 */
export function createEntry(
  row: PendingRow,
  { begun, beganAt, endedAt }: Pick<RawEntry, 'beganAt' | 'endedAt'> & { readonly begun: ExchangeStart },
  ended: ExchangeEnd,
  room: (bytes: number) => BodyAllowance,
): RawEntry {
  const { endpoint, target, headers, body, fileBytes } = begun
  const sentHeaders = ended.requestHeaders.length > 0 ? ended.requestHeaders : headers
  const auth = target.auth.header.toLowerCase()
  const mediaType = headerOf(ended.responseHeaders, 'content-type')
  const { error, isComplete: complete } = ended
  const state = complete ? 'answered' : error?.kind === 'cancelled' ? 'cancelled' : 'failed'
  const keep = (bytes: Uint8Array | null, given: Pick<StoredBody, 'total' | 'missing' | 'mediaType'>): RawBody => {
    const json = isJsonType(given.mediaType)
    if (bytes === null || bytes.byteLength === 0) return { ...given, bytes: null, isJson: json }
    const { maxBytes: limit, missing } = endpoint.returnsSecret ? secret : room(bytes.byteLength)
    if (limit === 0) return { ...given, bytes: null, missing, isJson: json }
    const kept = (ended.isBodyOwned && bytes === ended.body ? wholeOf(bytes, limit) : null) ?? copyOf(bytes, limit)
    return {
      ...given,
      bytes: kept,
      missing: kept.byteLength < bytes.byteLength ? missing : given.missing,
      isJson: json,
    }
  }
  return {
    beganAt,
    endedAt,
    row: {
      ...row,
      durationMs: ended.durationMs,
      timing: ended.timing,
      state,
      status: ended.status,
      errorCode: complete ? ended.hostCode : (error?.code ?? error?.kind ?? null),
      wireBytes: ended.wireBytes,
      bytes: ended.receivedBytes,
      requestBytes: ended.sentBody?.bytes ?? row.requestBytes,
      mediaType: (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase(),
    },
    requestHeaders: headersOf(sentHeaders, auth),
    responseHeaders: headersOf(ended.responseHeaders, auth),
    error: complete ? null : (error?.wire ?? null),
    request: keep(ended.sentBody ? ended.sentBody.body : body, {
      total: ended.sentBody
        ? ended.sentBody.isWhole
          ? ended.sentBody.bytes
          : null
        : (body?.byteLength ?? fileBytes ?? 0),
      missing: ended.sentBody ? missingOf(ended.sentBody) : fileBytes === null ? null : 'media',
      mediaType: headerOf(headers, 'content-type'),
    }),
    response: keep(ended.body, {
      total: complete && ended.hasUncountedBytes !== true ? ended.receivedBytes : null,
      missing: ended.missing,
      mediaType,
    }),
    token: target.token,
  }
}

const missingOf = ({ body, bytes }: NonNullable<ExchangeEnd['sentBody']>): StoredBody['missing'] =>
  (body?.byteLength ?? 0) < bytes ? 'limit' : null

const secret: BodyAllowance = { maxBytes: 0, missing: 'secret' }

type Names = ExchangeDetail['names']

/** Maximum number of ids of one exchange, and of characters that are searched for them. */
const MAX_NAMED_IDS = 100
const MAX_SEARCHED_CHARS = 262_144

/** Members that hold an id, or a list of them, in whatever spelling. */
const idMember = /^(?:.*(?:ids?|md5|nonce))$/i
const textPair = /"((?:[^"\\]|\\.){1,60})"\s*:\s*(?:"([^"\\]{1,200})"|\[((?:\s*"[^"\\]{1,200}"\s*,?){1,200})\])/g

/** Every id that the request names, and the request ids of its answer. */
export function collectNamedIds(
  row: Pick<ExchangeRow, 'path' | 'template' | 'origin'>,
  request: string,
  response: string,
): Names {
  const found = new Map<string, { member: string; id: string }>()
  const add = (member: string, id: string): void => {
    if (id !== '' && found.size < MAX_NAMED_IDS) found.set(`${member} ${id}`, { member, id })
  }
  if (row.origin.label !== null && (row.origin.kind === 'write' || row.origin.kind === 'tracker')) {
    add('operation', row.origin.label)
  }
  for (const [name, value] of inPath(row)) add(name, value)
  for (const [name, value] of inText(request)) if (idMember.test(name)) add(name, value)
  for (const [name, value] of inText(response)) if (/^request_?id$/i.test(name)) add(name, value)
  return [...found.values()]
}

function* inPath({ path, template }: Pick<ExchangeRow, 'path' | 'template'>): Generator<[string, string]> {
  const [bare = '', query = ''] = path.split('?', 2)
  const segments = bare.split('/')
  for (const [at, part] of template.split('/').entries()) {
    const name = /^\{(.+)\}$/.exec(part)?.[1]
    if (name !== undefined) yield [name, decodePercent(segments[at] ?? '')]
  }
  for (const [name, value] of new URLSearchParams(query)) if (idMember.test(name)) yield [name, value]
}

function* inText(text: string): Generator<[string, string]> {
  for (const [, name = '', value, list] of text.slice(0, MAX_SEARCHED_CHARS).matchAll(textPair)) {
    if (value !== undefined) yield [name, value]
    else for (const [, one = ''] of (list ?? '').matchAll(/"([^"\\]+)"/g)) yield [name, one]
  }
}
