import type { BridgeStream, ByteRange } from '../bridge/types.ts'
import {
  type Content,
  createContentChangedError,
  createContentCutError,
  createWrongRangeError,
  maskPieces,
} from './content.ts'
import { parseContentRange } from './byte-ranges.ts'

/** Requests the content from the host again: from a byte on, or all of it. */
type RequestBytes = (range: ByteRange | null, signal: AbortSignal) => Promise<BridgeStream>

/** Bytes read around a range of text, to mask tokens across its edges, which are shorter. */
const CONTEXT_BYTES = 16_384

/** Bytes in memory are yielded in pieces of this size, so that a slow reader does not hold more. */
const PIECE_BYTES = 65_536

/**
 * Yields the bytes `start` to `end` (inclusive; null = the last byte) of the content. They come
 * from memory as far as they are held; bytes that are still arriving are waited for; the rest is
 * requested from the host, with a Range if it supports that, otherwise cut out of the full content.
 * @throws CONTENT_CUT when the content ends early; CONTENT_CHANGED or RANGE_WRONG when the host
 *   sends other bytes.
 */
export async function* readContentBytes(
  content: Content,
  start: number,
  end: number | null,
  requestBytes: RequestBytes,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  let offset = start
  const getLimit = (): number => (end !== null ? end + 1 : (content.total ?? Number.POSITIVE_INFINITY))
  while (offset < getLimit()) {
    const piece = content.readHeld(offset, Math.min(getLimit(), offset + PIECE_BYTES))
    if (piece) {
      offset += piece.byteLength
      yield piece
    } else if (content.state === 'arriving') await content.waitForChange(signal)
    else if (content.state === 'failed') throw content.error ?? createContentCutError(offset)
    else if (content.state === 'whole') break
    else {
      for await (const hostPiece of readFromHost(content, offset, end, requestBytes, signal)) {
        offset += hostPiece.byteLength
        yield hostPiece
      }
      break
    }
  }
  if (offset < getLimit() && getLimit() !== Number.POSITIVE_INFINITY) throw createContentCutError(offset)
}

async function* readFromHost(
  content: Content,
  start: number,
  end: number | null,
  requestBytes: RequestBytes,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const tail = content.takeTail(start)
  if (tail) {
    const onAbort = (): void => void tail.body.destroy()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      yield* cutRange({ [Symbol.asyncIterator]: () => tail.pieces }, start, start, end)
    } finally {
      signal.removeEventListener('abort', onAbort)
      tail.body.destroy()
    }
    return
  }
  // A little more on both sides, as a token may begin before the bytes and end after them.
  const contextBytes = content.isText ? CONTEXT_BYTES : 0
  let lastOffset = end ?? (content.total === null ? null : content.total - 1)
  for (let offset = start; lastOffset === null || offset <= lastOffset;) {
    const from = Math.max(0, offset - contextBytes)
    const to =
      lastOffset === null ? null : Math.min(lastOffset + contextBytes, (content.total ?? Number.POSITIVE_INFINITY) - 1)
    const range = (from === 0 && end === null) || content.supportsRanges === false ? null : { start: from, end: to }
    const stream = await requestBytes(range, signal)
    try {
      const sentRange = checkSentRange(content, stream, range)
      const yieldEnd = sentRange ? computeYieldEnd(sentRange.end, offset, to, lastOffset, contextBytes) : lastOffset
      yield* cutRange(readMaskedBody(content, stream), sentRange?.start ?? 0, offset, yieldEnd)
      lastOffset ??= sentRange?.size ? sentRange.size - 1 : null
      // A host may send fewer bytes than requested, and the rest in response to a further request.
      if (!sentRange || lastOffset === null || yieldEnd === null) return
      offset = yieldEnd + 1
    } finally {
      stream.body.destroy()
    }
  }
}

/** The last bytes of a response that ended early may begin a token, and are left out. */
function computeYieldEnd(
  end: number,
  offset: number,
  requestedEnd: number | null,
  lastOffset: number | null,
  contextBytes: number,
): number {
  const safeEnd = end === requestedEnd || end - contextBytes < offset ? end : end - contextBytes
  return lastOffset === null ? safeEnd : Math.min(safeEnd, lastOffset)
}

function readMaskedBody(content: Content, { body, createMask }: BridgeStream): AsyncIterable<Buffer> {
  const pieces = body as AsyncIterable<Buffer>
  return content.isText ? maskPieces(createMask(), pieces[Symbol.asyncIterator]()) : pieces
}

/** The first piece begins at `firstOffset`, null = to the end. @throws CONTENT_CUT if too short */
async function* cutRange(
  pieces: AsyncIterable<Buffer>,
  firstOffset: number,
  from: number,
  to: number | null,
): AsyncGenerator<Buffer, void, undefined> {
  let position = firstOffset
  for await (const piece of pieces) {
    const begin = Math.max(0, from - position)
    const stop = to === null ? piece.byteLength : Math.min(piece.byteLength, to + 1 - position)
    position += piece.byteLength
    if (begin < stop) yield piece.subarray(begin, stop)
    if (to !== null && position > to) return
  }
  if (to !== null && position <= to) throw createContentCutError(position)
}

/** Returns the range in a response; null is all. @throws RANGE_WRONG, CONTENT_CHANGED */
function checkSentRange(
  content: Content,
  { meta, length, isUndecodable }: BridgeStream,
  range: ByteRange | null,
): ReturnType<typeof parseContentRange> {
  const firstHeaders = content.head?.meta.headers ?? {}
  for (const name of ['etag', 'last-modified']) {
    const [firstValue, value] = [firstHeaders[name], meta.headers[name]]
    if (firstValue !== undefined && value !== undefined && firstValue !== value) throw createContentChangedError()
  }
  if (meta.status !== 206) {
    if (range) content.supportsRanges = false
    if (content.total !== null && length !== null && length !== content.total) throw createContentChangedError()
    return null
  }
  const sentRange = parseContentRange(meta.headers['content-range'])
  if (!range || !sentRange || sentRange.start !== range.start || (range.end !== null && sentRange.end > range.end))
    throw createWrongRangeError()
  if (length !== null && length !== sentRange.end - sentRange.start + 1) throw createWrongRangeError()
  if (sentRange.size !== null && content.total !== null && sentRange.size !== content.total)
    throw createContentChangedError()
  if (content.total !== null && sentRange.end >= content.total) throw createWrongRangeError()
  // Parts of compressed content cannot be joined.
  if (isUndecodable() && content.head?.isUndecodable !== true) throw createWrongRangeError()
  content.supportsRanges = true
  return sentRange
}
