import type { Readable } from 'node:stream'
import { AppError } from '../../../shared/errors.ts'
import { createPieceStream } from './piece-stream.ts'
import type { ContentHandle } from './content-handles.ts'
import { isOpenEndedRange, parseRange, type ByteSpan } from './byte-ranges.ts'
import type { ContentHead } from './content.ts'
import { SVG_TYPE, TEXT_TYPE } from './sniffed-content.ts'

/** An element of a page (`<img>`, `<video>`, a link) requests the bytes behind a handle. */
export interface ContentRequest {
  readonly method: string
  readonly handle: string
  /** Value of the `Range` header; null if there is none. */
  readonly range: string | null
  /** The `If-Range` header: the range counts only if the content still has this ETag. */
  readonly ifRange: string | null
  /** True for a download, false for display. */
  readonly isDownload: boolean
  /** The request comes from an `<img>`, the only element for which an SVG is sent as an SVG. */
  readonly isForImage: boolean
  /** True if it asks for the rest when it gets fewer bytes: over HTTP, not an Electron scheme. */
  readonly canTakePieces: boolean
  /** True for the caller that opened the content. */
  readonly canUse: (caller: string) => boolean
  /** Aborted when the requester stops waiting for the response. */
  readonly signal: AbortSignal
}

export interface ContentResponse {
  readonly status: number
  /** All headers: the transport must not add any that would loosen them. */
  readonly headers: Readonly<Record<string, string>>
  /** Null if there is no body. Destroying the stream ends the request to the host. */
  readonly body: Readable | null
}

/** No content runs or loads anything: an opaque origin; inline styles only, for SVG pictures. */
export const CONTENT_CSP = "sandbox; default-src 'none'; style-src 'unsafe-inline'"

/** Bytes for an element that wants all at once: unread films would occupy six connections. */
const MEDIA_PIECE_BYTES = 4 * 1024 * 1024

/** A browser loads a complete picture before it shows it, so a larger or endless one is cut off. */
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
  return {
    status,
    headers: { ...COMMON_HEADERS, ...allow, 'Content-Type': TEXT_TYPE, 'Content-Length': '0' },
    body: null,
  }
}

const COMMON_HEADERS = {
  'Content-Security-Policy': CONTENT_CSP,
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
}

/** Follows RFC 9110. A host that fails before the first byte leads to a 502 or 504. */
export async function respondWithContent(
  handle: ContentHandle,
  name: string,
  request: ContentRequest,
  read: ByteReader,
): Promise<ContentResponse> {
  const { content } = handle.item
  const { head } = content
  if (!head) return createRefusal(404)
  while (request.range !== null && content.total === null && content.state === 'arriving') {
    await content.waitForChange(request.signal)
  }
  const size = content.total
  // The bytes of an opened content never change, so dates are not compared (RFC 9110 §13.1.5).
  const tag = `"${head.meta.exchangeId}"`
  const isRangeValid = request.ifRange === null || request.ifRange.trim() === tag
  // Methods other than GET ignore ranges (RFC 9110 §14.2).
  const range = isRangeValid && request.method === 'GET' ? request.range : null
  const requestedRange = size === null ? ({ kind: 'all' } as const) : parseRange(range, size)
  const headers: Record<string, string> = {
    ...COMMON_HEADERS,
    'Content-Type': chooseMediaType(head, request),
    'Content-Disposition': formatDisposition(head, name, request.isDownload),
    'Accept-Ranges': size === null ? 'none' : 'bytes',
    ETag: tag,
  }
  if (requestedRange.kind === 'none')
    return {
      status: 416,
      headers: { ...headers, 'Content-Range': `bytes */${size}`, 'Content-Length': '0' },
      body: null,
    }
  const span =
    requestedRange.kind === 'part' ? limitMediaSpan(requestedRange.span, head, request, content.supportsRanges) : null
  const status = span ? 206 : 200
  if (span) headers['Content-Range'] = `bytes ${span.start}-${span.end}/${size}`
  const length = span ? span.end - span.start + 1 : size
  if (length !== null) headers['Content-Length'] = String(length)
  if (request.method === 'HEAD' || length === 0) return { status, headers, body: null }
  const start = span?.start ?? 0
  const end = span?.end ?? (size === null ? null : size - 1)
  const maxBytes = head.sniffed.kind === 'image' && !request.isDownload ? MAX_PICTURE_BYTES : Number.POSITIVE_INFINITY
  // Reads of the page end when the handle is released, but a download continues.
  const endSignals = request.isDownload ? [request.signal] : [request.signal, handle.releaseController.signal]
  try {
    return {
      status,
      headers,
      body: await createPieceStream(endSignals, maxBytes, (signal) => read(handle, start, end, signal)),
    }
  } catch (error) {
    return createRefusal(error instanceof AppError && error.kind === 'timeout' ? 504 : 502)
  }
}

function limitMediaSpan(
  span: ByteSpan,
  { sniffed: { kind } }: ContentHead,
  { range, canTakePieces }: ContentRequest,
  hostSupportsRanges: boolean | null,
): ByteSpan {
  if (
    !canTakePieces ||
    hostSupportsRanges !== true ||
    (kind !== 'audio' && kind !== 'video') ||
    !isOpenEndedRange(range)
  )
    return span
  return { start: span.start, end: Math.min(span.end, span.start + MEDIA_PIECE_BYTES - 1) }
}

/** Outside an `<img>`, an SVG is a document, and documents are served as text. */
function chooseMediaType({ sniffed: { mediaType } }: ContentHead, { isForImage }: ContentRequest): string {
  return mediaType === SVG_TYPE && !isForImage ? TEXT_TYPE : mediaType
}

/** PDFs and archives are always downloads, because a browser would open them in its own viewer. */
function formatDisposition({ sniffed: { kind } }: ContentHead, name: string, isDownload: boolean): string {
  const isInline = !isDownload && kind !== 'pdf' && kind !== 'binary'
  const asciiName = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encodedName = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${isInline ? 'inline' : 'attachment'}; filename="${asciiName}"; filename*=UTF-8''${encodedName}`
}
