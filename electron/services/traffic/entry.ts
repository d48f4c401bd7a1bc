import type { WireError } from '../../../shared/errors.ts'
import {
  findOperationId,
  type ExchangeRow,
  type Header,
  type StoredBody,
  type ExchangeDetail,
} from '../../../shared/traffic/exchange.ts'
import { isJsonType } from '../bridge/client/response.ts'
import type { ExchangeStart, ExchangeEnd } from '../bridge/types.ts'
import type { PanelCallFacts } from '../findings/exchange-step.ts'
import { readEntrySync, type EntryPlace } from '../../recording-file/zip-file.ts'
import type { RawHeaders } from '../bridge/exchange-trace.ts'
import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'

/** The row of an exchange that has no `seq` in the store yet. */
export type PendingRow = Omit<ExchangeRow, 'seq'>

/** A body before tokens are removed and the body is stored. */
export interface RawBody extends Pick<StoredBody, 'total' | 'missing' | 'mediaType'> {
  /** A copy that only the entry uses; null if no bytes are to be stored. */
  readonly bytes: Uint8Array<ArrayBuffer> | null
  readonly isJson: boolean
  /** Place of the bytes in an open recording. They are read where they are used. */
  readonly place?: EntryPlace | undefined
}

/** An exchange before it is stored. It may contain tokens that the host returned. */
export interface RawEntry {
  readonly row: PendingRow
  /**
   * Start and end in milliseconds of a monotonic clock, because the system's clock may be set back.
   * The order of exchanges and the time between them are computed from these.
   */
  readonly beganAt: number
  readonly endedAt: number
  readonly requestHeaders: readonly Header[]
  readonly responseHeaders: readonly Header[]
  readonly error: WireError | null
  readonly request: RawBody
  readonly response: RawBody
  /** The token with which the request was sent. */
  readonly token: string | null
  readonly panelCall?: PanelCallFacts | undefined
}

/** Reads bodies in a recording; `onDamaged` gets the error of each that cannot be read. */
export function readPlacedBodies(entry: RawEntry, onDamaged: ((error: unknown) => void) | undefined): RawEntry {
  const read = (body: RawBody): RawBody => {
    if (!body.place) return body
    try {
      return { ...body, bytes: readEntrySync(body.place) }
    } catch (error) {
      onDamaged?.(error)
      return { ...body, place: undefined, missing: 'damaged' }
    }
  }
  return entry.request.place || entry.response.place
    ? { ...entry, request: read(entry.request), response: read(entry.response) }
    : entry
}

/** The text in place of values that are always secret, such as that of an authorization header. */
const REDACTED_TEXT = '[redacted]'
const SECRET_HEADER =
  /^(?:set-cookie2?|cookie2?|(?:proxy-)?authorization|.*(?:token|secret|api-?key|password|credential).*)$/i
/** Maximum characters of a stored header, and maximum number of headers. */
const MAX_HEADER_CHARS = 4_000
const MAX_HEADERS = 200

function maskHeaders(headers: RawHeaders, auth: string | null): Header[] {
  return headers.slice(0, MAX_HEADERS).map(([name, value]) => {
    const isSecret = SECRET_HEADER.test(name) || name.toLowerCase() === auth
    return [name, isSecret ? hideValue(value) : value.slice(0, MAX_HEADER_CHARS)]
  })
}

/** The scheme of an authorization is not secret, and helps to recognise a wrong scheme. */
const hideValue = (value: string): string =>
  `${/^(?:Bearer|Basic|Digest|Token) /i.exec(value)?.[0] ?? ''}${REDACTED_TEXT}`

const findHeader = (headers: RawHeaders, name: string): string =>
  (headers.find(([headerName]) => headerName.toLowerCase() === name)?.[1] ?? '').slice(0, 200)

export function createPendingRow(start: ExchangeStart): PendingRow {
  const { endpoint, method, target, path, body, fileBytes } = start
  const isKnown = endpoint.id !== ''
  return {
    id: start.id,
    startedAt: start.startedAt,
    durationMs: null,
    timing: { queued: null, connected: null, sent: null, firstByte: null, lastByte: null },
    method,
    path,
    endpoint: isKnown ? endpoint.id : null,
    template: isKnown ? endpoint.path : (path.split('?', 1)[0] ?? path),
    origin: start.origin,
    state: 'pending',
    status: null,
    errorCode: null,
    attempt: start.attempt,
    group: start.group,
    epoch: target.epoch,
    instance: target.instanceNonce ?? null,
    host: target.baseUrl,
    requestBytes: body?.byteLength ?? fileBytes ?? 0,
    wireBytes: null,
    bytes: 0,
    mediaType: '',
    pinned: false,
    rule: start.rule ?? null,
  }
}

/** Maximum bytes of a body that may be stored, and the reason that is stored for missing bytes. */
export type BodyAllowance = { readonly maxBytes: number; readonly missing: StoredBody['missing'] }

// `slice` of a Buffer would share its memory, so the bytes are copied explicitly.
const copyBytes = (bytes: Uint8Array, limit: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(bytes.subarray(0, limit))

/** Returns the bytes without copying if they occupy their whole buffer; null otherwise. */
function takeBuffer({ buffer, byteLength }: Uint8Array, limit: number): Uint8Array<ArrayBuffer> | null {
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength <= limit
  return isWhole ? new Uint8Array(buffer) : null
}

/**
 * Creates the entry of an exchange that has ended. Bodies are copied, because the caller continues
 * to use them, unless `isBodyOwned` is set.
 * @param getAllowance Returns how many of a body's bytes may be stored.
 */
export function createEntry(
  row: PendingRow,
  { begun, beganAt, endedAt }: Pick<RawEntry, 'beganAt' | 'endedAt'> & { readonly begun: ExchangeStart },
  end: ExchangeEnd,
  getAllowance: (bytes: number) => BodyAllowance,
): RawEntry {
  const { endpoint, target, headers, body, fileBytes } = begun
  const requestHeaders = end.requestHeaders.length > 0 ? end.requestHeaders : headers
  const auth = target.auth.header.toLowerCase()
  const mediaType = findHeader(end.responseHeaders, 'content-type')
  const { error, isComplete } = end
  const state = isComplete ? 'answered' : error?.kind === 'cancelled' ? 'cancelled' : 'failed'
  const toRawBody = (bytes: Uint8Array | null, facts: Pick<StoredBody, 'total' | 'missing' | 'mediaType'>): RawBody => {
    const isJson = isJsonType(facts.mediaType)
    if (bytes === null || bytes.byteLength === 0) return { ...facts, bytes: null, isJson }
    const { maxBytes, missing } = endpoint.returnsSecret ? SECRET_ALLOWANCE : getAllowance(bytes.byteLength)
    if (maxBytes === 0) return { ...facts, bytes: null, missing, isJson }
    const storedBytes =
      (end.isBodyOwned && bytes === end.body ? takeBuffer(bytes, maxBytes) : null) ?? copyBytes(bytes, maxBytes)
    return {
      ...facts,
      bytes: storedBytes,
      missing: storedBytes.byteLength < bytes.byteLength ? missing : facts.missing,
      isJson,
    }
  }
  return {
    beganAt,
    endedAt,
    row: {
      ...row,
      durationMs: end.durationMs,
      timing: end.timing,
      state,
      status: end.status,
      errorCode: isComplete ? end.hostCode : (error?.code ?? error?.kind ?? null),
      wireBytes: end.wireBytes,
      bytes: end.receivedBytes,
      requestBytes: end.sentBody?.encodedBytes ?? end.sentBody?.bytes ?? row.requestBytes,
      mediaType: (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase(),
    },
    requestHeaders: maskHeaders(requestHeaders, auth),
    responseHeaders: maskHeaders(end.responseHeaders, auth),
    error: isComplete ? null : (error?.wire ?? null),
    request: toRawBody(end.sentBody ? end.sentBody.body : body, {
      total: end.sentBody ? (end.sentBody.isWhole ? end.sentBody.bytes : null) : (body?.byteLength ?? fileBytes ?? 0),
      missing: end.sentBody ? getMissingReason(end.sentBody) : fileBytes === null ? null : 'media',
      mediaType: findHeader(headers, 'content-type'),
    }),
    response: toRawBody(end.body, {
      total: isComplete && end.hasUncountedBytes !== true ? end.receivedBytes : null,
      missing: end.missing,
      mediaType,
    }),
    token: target.token,
    panelCall: begun.panelCall,
  }
}

const getMissingReason = ({ body, bytes, missing }: NonNullable<ExchangeEnd['sentBody']>): StoredBody['missing'] =>
  missing ?? ((body?.byteLength ?? 0) < bytes ? 'limit' : null)

const SECRET_ALLOWANCE: BodyAllowance = { maxBytes: 0, missing: 'secret' }

type Names = ExchangeDetail['names']

/** Maximum number of ids of an exchange, and of characters in which they are searched. */
const MAX_NAMED_IDS = 100
const MAX_SEARCHED_CHARS = 262_144

/** Names of members that contain an id or a list of ids, with any letter case. */
const ID_MEMBER = /^(?:.*(?:ids?|md5|nonce))$/i
const TEXT_PAIR =
  /"((?:[^"\\]|\\.){1,60})"\s*:\s*(?:"([^"\\]{1,200})"|\[(\s*"[^"\\]{1,200}"(?:\s*,\s*"[^"\\]{1,200}"){0,199})\s*\])/g

/** Collects every id in the request, and the request ids in the response. */
export function collectNamedIds(
  row: Pick<ExchangeRow, 'path' | 'template' | 'origin'>,
  request: string,
  response: string,
): Names {
  const idsByKey = new Map<string, { member: string; id: string }>()
  const addId = (member: string, id: string): void => {
    if (id !== '' && idsByKey.size < MAX_NAMED_IDS) idsByKey.set(`${member} ${id}`, { member, id })
  }
  addId('operation', findOperationId(row.origin) ?? '')
  for (const [name, value] of listPathValues(row)) addId(name, value)
  for (const [name, value] of listTextValues(request)) if (ID_MEMBER.test(name)) addId(name, value)
  for (const [name, value] of listTextValues(response)) if (/^request_?id$/i.test(name)) addId(name, value)
  return [...idsByKey.values()]
}

function* listPathValues({ path, template }: Pick<ExchangeRow, 'path' | 'template'>): Generator<[string, string]> {
  const [pathname = '', query = ''] = path.split('?', 2)
  const segments = pathname.split('/')
  for (const [index, segment] of template.split('/').entries()) {
    const name = /^\{(.+)\}$/.exec(segment)?.[1]
    // The number of a page is an id of nothing.
    if (name !== undefined && name !== 'index') yield [name, decodePercent(segments[index] ?? '')]
  }
  for (const [name, value] of new URLSearchParams(query)) if (ID_MEMBER.test(name)) yield [name, value]
}

function* listTextValues(text: string): Generator<[string, string]> {
  for (const [, name = '', value, list] of text.slice(0, MAX_SEARCHED_CHARS).matchAll(TEXT_PAIR)) {
    if (value !== undefined) yield [name, value]
    else for (const [, listedValue = ''] of (list ?? '').matchAll(/"([^"\\]+)"/g)) yield [name, listedValue]
  }
}
