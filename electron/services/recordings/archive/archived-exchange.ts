import { createHash } from 'node:crypto'
import { z } from 'zod'
import { getMember } from '../../../../shared/json/object.ts'
import { parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import type { LeftOut, RecordedExchange } from '../../../../shared/recordings/recording.ts'
import { decodeBodyText, nameUtf8 } from '../../../../shared/traffic/body-text.ts'
import { originKinds, type Header, type Timing } from '../../../../shared/traffic/exchange.ts'
import { resolveRelayedRow } from '../../bridge/client/request-row.ts'

const MAX_HEADERS = 1_000
const MAX_URL_CHARS = 100_000
/** A longer error body is not parsed for the host’s error code. */
const MAX_ERROR_BYTES = 1_048_576
const MAX_ID_CHARS = 100

const text = z.string().catch('')
const nullableText = z.string().nullable().catch(null)
/** Negative if it is unknown, as in the format. Some programs write numbers as text. */
const amount = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
  ])
  .pipe(z.number().max(Number.MAX_SAFE_INTEGER))
  .catch(-1)
const pairsSchema = z.array(z.object({ name: z.string(), value: text }).nullable().catch(null)).catch([])

/** HAR 1.2, with only time and request line required; `_` members are this program's. */
const entrySchema = z.object({
  startedDateTime: z.string().max(100),
  time: amount,
  request: z.object({
    method: z.string().regex(/^[A-Za-z-]{1,20}$/),
    url: z.string().max(MAX_URL_CHARS),
    headers: pairsSchema,
    bodySize: amount,
    postData: z
      .object({
        mimeType: text,
        text: nullableText,
        params: pairsSchema,
        encoding: text,
        _encoding: text,
        comment: text,
      })
      .nullable()
      .catch(null),
  }),
  response: z
    .object({
      status: amount,
      headers: pairsSchema,
      bodySize: amount,
      content: z
        .object({ size: amount, mimeType: text, text: nullableText, encoding: text, comment: text })
        .nullable()
        .catch(null),
      _error: nullableText,
    })
    .nullable()
    .catch(null),
  timings: z
    .object({ blocked: amount, dns: amount, connect: amount, send: amount, wait: amount, receive: amount })
    .nullable()
    .catch(null),
  _webSocketMessages: z.array(z.unknown()).nullable().catch(null),
  _id: z.string().min(1).max(MAX_ID_CHARS).nullable().catch(null),
  _origin: z.enum(originKinds).catch('recorded'),
  _attempt: z.number().int().positive().catch(1),
})
type ArchiveEntry = z.infer<typeof entrySchema>

/** An entry of an HTTP archive as it is in a recording, with its bodies by their names. */
export interface ArchivedExchange {
  readonly exchange: RecordedExchange
  readonly bodies: ReadonlyMap<string, Uint8Array>
  /** Members of the entry that could not be read as they say. */
  readonly problems: readonly EntryProblem[]
}

interface EntryProblem {
  readonly member: string
  readonly why: LeftOut['why']
}

/** @returns the reason if it is no HTTP exchange with a time */
export function parseArchiveEntry(value: unknown, seq: number): ArchivedExchange | LeftOut['why'] {
  const { data, error } = entrySchema.safeParse(value)
  if (!data) return error.issues.some(({ path }) => path[0] === 'startedDateTime') ? 'no-time' : 'no-request'
  const address = parseUrl(data.request.url)
  const startedAt = parseTime(data.startedDateTime)
  if (!address) return 'not-http'
  if (startedAt === null) return 'no-time'
  const { request, response } = data
  const problems: EntryProblem[] = []
  if (data._webSocketMessages?.length) problems.push({ member: '._webSocketMessages', why: 'not-http' })
  const requestBytes = readRequestBody(request, problems)
  const responseBytes = readResponseBody(response?.content ?? null, problems)
  const requestMediaType = nameCharset(request.postData, requestBytes, '.request.postData', problems)
  const responseMediaType = nameCharset(response?.content, responseBytes, '.response.content', problems)
  const status = response && Number.isInteger(response.status) && response.status >= 100 ? response.status : null
  const endpoint = resolveRelayedRow(request.method, address.path, { pathOverrides: {} }, null)
  const id = data._id ?? `archive-${seq}`
  const bodies = new Map<string, Uint8Array>()
  const addBody = (bytes: Uint8Array | null): string | null => {
    if (bytes === null || bytes.length === 0) return null
    const name = createHash('sha256').update(bytes).digest('hex')
    bodies.set(name, bytes)
    return name
  }
  const requestSize = requestBytes ? 0 : Math.round(Math.max(request.bodySize, 0))
  const responseSize = status === null ? 0 : findMissingSize(request.method, status, response)
  const exchange: RecordedExchange = {
    row: {
      seq,
      id,
      startedAt,
      method: request.method,
      ...address,
      durationMs: data.time >= 0 ? data.time : null,
      timing: toTiming(data.timings, data.time),
      endpoint: endpoint.id === '' ? null : endpoint.id,
      template: endpoint.id === '' ? (address.path.split('?', 1)[0] ?? '') : endpoint.path,
      origin: { kind: data._origin, label: null },
      state: status === null ? 'failed' : 'answered',
      status,
      errorCode: status === null ? (response?._error ?? null) : readErrorCode(status, responseBytes),
      attempt: data._attempt,
      group: id,
      epoch: 1,
      instance: null,
      requestBytes: requestBytes?.length ?? 0,
      wireBytes: response && response.bodySize >= 0 ? Math.round(response.bodySize) : null,
      bytes: responseBytes?.length ?? responseSize ?? 0,
      mediaType: (responseMediaType.split(';', 1)[0] ?? '').trim().toLowerCase(),
      pinned: false,
      rule: null,
    },
    requestHeaders: toHeaders(request.headers, request.postData?.mimeType, requestMediaType),
    responseHeaders: toHeaders(response?.headers ?? [], response?.content?.mimeType, responseMediaType),
    error: null,
    request: toBodyInfo(requestBytes, requestSize, request.postData?.comment ?? '', requestMediaType),
    response: toBodyInfo(responseBytes, responseSize, response?.content?.comment ?? '', responseMediaType),
    attempts: [seq],
    before: null,
    names: [],
    masked: 0,
    requestBody: addBody(requestBytes),
    responseBody: addBody(responseBytes),
  }
  return { exchange, bodies, problems }
}

/** Splits a URL into base URL and path; credentials in it are left out. */
function parseUrl(url: string): { readonly host: string; readonly path: string } | null {
  if (!URL.canParse(url)) return null
  const { protocol, host, pathname, search } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return null
  const [, base = '', rest = pathname] = /^(.*?\/bridge\/v1)(\/.*)$/.exec(pathname) ?? []
  return { host: `${protocol}//${host}${base}`, path: `${rest}${search}` }
}

/** A time without a zone counts as UTC, so that it does not depend on this machine. */
function parseTime(text: string): number | null {
  const hasZone = /(?:Z|[+-]\d\d:?\d\d|GMT|UTC)\s*$/i.test(text)
  const time = Date.parse(hasZone ? text : `${text}Z`)
  // Programs write the year 1 for a time that they do not know.
  return time >= 0 ? time : null
}

/** An archive has the names of a form's files, but not their bytes. */
function readRequestBody({ postData }: ArchiveEntry['request'], problems: EntryProblem[]): Uint8Array | null {
  if (postData === null) return null
  const encoding = postData.encoding || postData._encoding
  if (postData.text !== null && postData.text !== '')
    return decodeBody(postData.text, encoding, -1, (why) => problems.push({ member: '.request.postData', why }))
  const pairs = postData.params.flatMap((pair): [string, string][] => (pair ? [[pair.name, pair.value]] : []))
  if (pairs.length === 0) return null
  if (!postData.mimeType.startsWith('multipart/')) return Buffer.from(new URLSearchParams(pairs).toString())
  problems.push({ member: '.request.postData', why: 'not-in-archive' })
  return null
}

function readResponseBody(content: ArchivedContent, problems: EntryProblem[]): Uint8Array | null {
  if (content === null || content.text === null) return null
  return decodeBody(content.text, content.encoding, content.size, (why) =>
    problems.push({ member: '.response.content', why }),
  )
}

type ArchivedContent = NonNullable<ArchiveEntry['response']>['content']

/**
 * Firefox calls texts base64 that are none, and older proxies do not say that a body is base64.
 * The declared size decides where both readings are possible.
 * @param size negative if it is unknown
 * @see https://bugzilla.mozilla.org/show_bug.cgi?id=1762313
 */
function decodeBody(text: string, encoding: string, size: number, onUntrue: (why: LeftOut['why']) => void): Buffer {
  const plain = Buffer.from(text)
  const isDeclared = encoding.trim().toLowerCase() === 'base64'
  if (!isDeclared && (size < 0 || plain.length === size)) return plain
  const digits = text.replace(/\s/g, '').replace(/={1,2}$/, '')
  const isBase64 = /^[A-Za-z0-9+/]*$/.test(digits) && digits.length % 4 !== 1
  const decoded = isBase64 ? Buffer.from(text, 'base64') : null
  const isMeant =
    decoded !== null && (isDeclared ? plain.length !== size || decoded.length === size : decoded.length === size)
  if (isMeant !== isDeclared) onUntrue('untrue-encoding')
  return isMeant ? decoded : plain
}

/** Names UTF-8, to which HAR 1.2 transcodes texts. Returns the media type of the bytes read. */
function nameCharset(
  content: { readonly mimeType: string; readonly text: string | null } | null | undefined,
  bytes: Uint8Array | null,
  member: string,
  problems: EntryProblem[],
): string {
  const { mimeType = '', text: archivedText = null } = content ?? {}
  // The bytes of a text in base64 are fewer.
  if (bytes === null || archivedText === null || bytes.length < Buffer.byteLength(archivedText)) return mimeType
  const { encoding, text: decodedText, problem } = decodeBodyText(bytes, { mediaType: mimeType, missing: null })
  if (problem !== 'untrue' && (encoding === 'utf-8' || decodedText === archivedText)) return mimeType
  problems.push({ member, why: 'untrue-encoding' })
  return nameUtf8(mimeType)
}

/** Returns the size of a body without its text; null if there is one of unknown size. */
function findMissingSize(method: string, status: number, response: ArchiveEntry['response']): number | null {
  if (method.toUpperCase() === 'HEAD' || status < 200 || status === 204 || status === 304) return 0
  const declared = response?.headers.find((pair) => pair?.name.toLowerCase() === 'content-length')?.value ?? ''
  const length = /^\d{1,15}$/.test(declared) ? Number(declared) : -1
  const size = Math.round(response?.content?.size ?? -1)
  const largest = Math.max(size, size <= 0 ? length : -1)
  return largest < 0 ? null : largest
}

/** Archives of this program say in a comment how much of a body they hold. */
const CUT_COMMENT = /^\d+ of (\d+|\?) bytes kept \((limit|media|busy|full|removed|secret|redacted)\)$/

function toBodyInfo(
  bytes: Uint8Array | null,
  size: number | null,
  comment: string,
  mediaType: string,
): RecordedExchange['request'] {
  const keptBytes = bytes?.length ?? 0
  const [, total, missing] = CUT_COMMENT.exec(comment) ?? []
  if (missing !== undefined)
    return { total: total === '?' ? null : Number(total), kept: keptBytes, missing: missing as 'limit', mediaType }
  const isMissing = bytes === null && size !== 0
  return { total: isMissing ? size : keptBytes, kept: keptBytes, missing: isMissing ? 'media' : null, mediaType }
}

/** Pseudo headers of HTTP/2 are no headers. A header says the charset that the body has here. */
const toHeaders = (pairs: z.infer<typeof pairsSchema>, archivedType = '', mediaType = archivedType): Header[] =>
  pairs
    .flatMap((pair): Header[] => (pair && !pair.name.startsWith(':') ? [[pair.name, pair.value]] : []))
    .slice(0, MAX_HEADERS)
    .map(([name, value]) =>
      archivedType !== mediaType && name.toLowerCase() === 'content-type' ? [name, mediaType] : [name, value],
    )

function toTiming(timings: ArchiveEntry['timings'], time: number): Timing {
  if (timings === null) return { queued: null, connected: null, sent: null, firstByte: null, lastByte: null }
  const { blocked, dns, connect, send, wait, receive } = timings
  const add = (before: number, ...spans: readonly number[]): number =>
    spans.reduce((sum, span) => sum + Math.max(0, span), before)
  const queued = add(0, blocked)
  const connected = add(queued, dns, connect)
  const sentAt = add(connected, send)
  const firstByte = add(sentAt, wait)
  return { queued, connected, sent: sentAt, firstByte, lastByte: time >= 0 ? time : add(firstByte, receive) }
}

function readErrorCode(status: number, bytes: Uint8Array | null): string | null {
  if (status < 400 || bytes === null || bytes.length > MAX_ERROR_BYTES) return null
  const code = getMember(getMember(parseBodyText(Buffer.from(bytes).toString()), 'error'), 'code')
  return typeof code === 'string' ? code.slice(0, MAX_ID_CHARS) : null
}
