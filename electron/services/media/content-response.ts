import type { Readable } from 'node:stream'
import { AppError } from '../../../shared/errors.ts'
import { createPieceStream } from './piece-stream.ts'
import type { ContentHandle } from './content-handles.ts'
import { isOpenEndedRange, parseRange, type ByteSpan } from './byte-ranges.ts'
import type { ContentHead } from './content.ts'
import { SVG_TYPE, TEXT_TYPE } from './sniffed-content.ts'

/**
 * A request by an element of a page (`<img>`, `<video>`, a download link) for the bytes behind a
 * handle.
 */
export interface ContentRequest {
  readonly method: string
  readonly handle: string
  /** The `Range` header. */
  readonly range: string | null
  /** The `If-Range` header: the range counts only where the content is still this one. */
  readonly ifRange: string | null
  /** To be saved, not shown. */
  readonly isDownload: boolean
  /** The request comes from an `<img>`: only there is an SVG sent as an SVG. */
  readonly isForImage: boolean
  /**
   * Whether the requester comes back for the rest when it gets less than it asked for: true over
   * HTTP, false over an Electron scheme.
   */
  readonly canTakePieces: boolean
  /** Whether the requester belongs to this caller, the one that opened the content. */
  readonly canUse: (caller: string) => boolean
  /** Aborted when nobody is waiting for the response any more. */
  readonly signal: AbortSignal
}

export interface ContentResponse {
  readonly status: number
  /** Every header of the response: the transport adds none that would loosen them. */
  readonly headers: Readonly<Record<string, string>>
  /** Null if there is none. Destroying it ends the request to the host. */
  readonly body: Readable | null
}

/**
 * However it is shown, nothing in it runs and it loads nothing: it is a document with an origin of
 * its own, without scripts, forms or popups. Styles inside an SVG are part of its picture.
 */
export const CONTENT_CSP = "sandbox; default-src 'none'; style-src 'unsafe-inline'"

/**
 * How much a media element gets when it requests everything, provided that it and the host support
 * ranges: a browser has six connections per page, and films waiting to be read would hold them.
 */
const MEDIA_PIECE_BYTES = 4 * 1024 * 1024

/**
 * A browser holds a whole picture before it shows it, so a larger one, or one without an end, is
 * cut off.
 */
export const MAX_PICTURE_BYTES = 128 * 1024 * 1024

/** Reads the bytes `start` to `end` (inclusive; null = to its end) of a handle's content. */
export type ByteReader = (
  handle: ContentHandle,
  start: number,
  end: number | null,
  signal: AbortSignal,
) => AsyncGenerator<Buffer, void, undefined>

export function createRefusal(status: number): ContentResponse {
  const allow = status === 405 ? { Allow: 'GET, HEAD' } : {}
  return { status, headers: { ...always, ...allow, 'Content-Type': TEXT_TYPE, 'Content-Length': '0' }, body: null }
}

const always = {
  'Content-Security-Policy': CONTENT_CSP,
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
}

/**
 * Serves a request for an opened content according to RFC 9110. A host that fails before the first
 * byte leads to a 502 or 504.
 */
export async function respondWithContent(
  handle: ContentHandle,
  name: string,
  request: ContentRequest,
  read: ByteReader,
): Promise<ContentResponse> {
  const { content } = handle.item
  const { head: known } = content
  if (!known) return createRefusal(404)
  while (request.range !== null && content.total === null && content.state === 'arriving') {
    await content.waitForChange(request.signal)
  }
  const size = content.total
  // The bytes of an opened content never change, and a date says nothing about them (RFC 9110
  // §13.1.5).
  const tag = `"${known.meta.exchangeId}"`
  const same = request.ifRange === null || request.ifRange.trim() === tag
  // A range means nothing to other methods (§14.2).
  const range = same && request.method === 'GET' ? request.range : null
  const wanted = size === null ? ({ kind: 'all' } as const) : parseRange(range, size)
  const headers: Record<string, string> = {
    ...always,
    'Content-Type': typeFor(known, request),
    'Content-Disposition': disposition(known, name, request.isDownload),
    'Accept-Ranges': size === null ? 'none' : 'bytes',
    ETag: tag,
  }
  if (wanted.kind === 'none')
    return {
      status: 416,
      headers: { ...headers, 'Content-Range': `bytes */${size}`, 'Content-Length': '0' },
      body: null,
    }
  const span = wanted.kind === 'part' ? shortened(wanted.span, known, request, content.supportsRanges) : null
  const status = span ? 206 : 200
  if (span) headers['Content-Range'] = `bytes ${span.start}-${span.end}/${size}`
  const length = span ? span.end - span.start + 1 : size
  if (length !== null) headers['Content-Length'] = String(length)
  if (request.method === 'HEAD' || length === 0) return { status, headers, body: null }
  const start = span?.start ?? 0
  const end = span?.end ?? (size === null ? null : size - 1)
  const most = known.sniffed.kind === 'image' && !request.isDownload ? MAX_PICTURE_BYTES : Number.POSITIVE_INFINITY
  // The page's own reads end with the handle, but a save does not.
  const ends = request.isDownload ? [request.signal] : [request.signal, handle.releaseController.signal]
  try {
    return { status, headers, body: await createPieceStream(ends, most, (signal) => read(handle, start, end, signal)) }
  } catch (error) {
    return createRefusal(error instanceof AppError && error.kind === 'timeout' ? 504 : 502)
  }
}

function shortened(
  span: ByteSpan,
  { sniffed: { kind } }: ContentHead,
  { range, canTakePieces: takesPieces }: ContentRequest,
  hostRanges: boolean | null,
): ByteSpan {
  if (!takesPieces || hostRanges !== true || (kind !== 'audio' && kind !== 'video') || !isOpenEndedRange(range))
    return span
  return { start: span.start, end: Math.min(span.end, span.start + MEDIA_PIECE_BYTES - 1) }
}

/** Outside an `<img>`, an SVG is a document, and documents are served as text. */
function typeFor({ sniffed: { mediaType } }: ContentHead, { isForImage: asImage }: ContentRequest): string {
  return mediaType === SVG_TYPE && !asImage ? TEXT_TYPE : mediaType
}

/** What a browser would open in a viewer of its own (a PDF, an archive) can only be saved. */
function disposition({ sniffed: { kind } }: ContentHead, name: string, download: boolean): string {
  const shown = !download && kind !== 'pdf' && kind !== 'binary'
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const full = encodeURIComponent(name).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${shown ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${full}`
}
