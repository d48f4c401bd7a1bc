import type { BridgeStream, ByteRange } from '../bridge/types.ts'
import {
  type Content,
  createContentChangedError,
  createContentCutError,
  createWrongRangeError,
  maskPieces,
} from './content.ts'
import { parseContentRange } from './byte-ranges.ts'

/** Requests a content from the host again: from a byte on, or all of it. */
type Ask = (range: ByteRange | null, signal: AbortSignal) => Promise<BridgeStream>

/**
 * How many bytes of a text are read around what is wanted. However it is written, no token is
 * longer.
 */
const CONTEXT_BYTES = 16_384

/**
 * What is in memory is yielded in pieces of this size, so that a slow reader does not hold more.
 */
const PIECE_BYTES = 65_536

/**
 * The bytes `start` to `end` (inclusive) of a content; `end` is null for the last one. What is in
 * memory comes from there, what is arriving is waited for, and the rest is requested from the host:
 * with a Range if it supports that, otherwise cut out of the whole. Yields exactly these bytes, or
 * throws.
 */
export async function* readContentBytes(
  content: Content,
  start: number,
  end: number | null,
  ask: Ask,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  let at = start
  const limit = (): number => (end !== null ? end + 1 : (content.total ?? Number.POSITIVE_INFINITY))
  while (at < limit()) {
    const piece = content.readHeld(at, Math.min(limit(), at + PIECE_BYTES))
    if (piece) {
      at += piece.byteLength
      yield piece
    } else if (content.state === 'arriving') await content.waitForChange(signal)
    else if (content.state === 'failed') throw content.error ?? createContentCutError(at)
    else if (content.state === 'whole') break
    else {
      for await (const part of fromHost(content, at, end, ask, signal)) {
        at += part.byteLength
        yield part
      }
      break
    }
  }
  if (at < limit() && limit() !== Number.POSITIVE_INFINITY) throw createContentCutError(at)
}

async function* fromHost(
  content: Content,
  start: number,
  end: number | null,
  ask: Ask,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const tail = content.takeTail(start)
  if (tail) {
    const stop = (): void => void tail.body.destroy()
    signal.addEventListener('abort', stop, { once: true })
    try {
      yield* window({ [Symbol.asyncIterator]: () => tail.pieces }, start, start, end)
    } finally {
      signal.removeEventListener('abort', stop)
      tail.body.destroy()
    }
    return
  }
  // Of a text, a little more is requested on both sides: a token may begin before what is wanted
  // and end after it.
  const more = content.isText ? CONTEXT_BYTES : 0
  let last = end ?? (content.total === null ? null : content.total - 1)
  for (let at = start; last === null || at <= last;) {
    const from = Math.max(0, at - more)
    const to = last === null ? null : Math.min(last + more, (content.total ?? Number.POSITIVE_INFINITY) - 1)
    const range = (from === 0 && end === null) || content.supportsRanges === false ? null : { start: from, end: to }
    const stream = await ask(range, signal)
    try {
      const part = partOf(content, stream, range)
      const until = part ? upTo(part.end, at, to, last, more) : last
      yield* window(bodyOf(content, stream), part?.start ?? 0, at, until)
      last ??= part?.size ? part.size - 1 : null
      // A host may send less than was requested, and the rest when it is asked again.
      if (!part || last === null || until === null) return
      at = until + 1
    } finally {
      stream.body.destroy()
    }
  }
}

/**
 * The last byte to yield of a part that ends at `end`: if the part broke off early, a token may
 * continue after it.
 */
function upTo(end: number, at: number, asked: number | null, last: number | null, more: number): number {
  const sure = end === asked || end - more < at ? end : end - more
  return last === null ? sure : Math.min(sure, last)
}

function bodyOf(content: Content, { body, createMask: mask }: BridgeStream): AsyncIterable<Buffer> {
  const pieces = body as AsyncIterable<Buffer>
  return content.isText ? maskPieces(mask(), pieces[Symbol.asyncIterator]()) : pieces
}

/**
 * The bytes `from` to `to` out of pieces, the first of which begins at `at`. Throws if they end
 * before `to`.
 */
async function* window(
  pieces: AsyncIterable<Buffer>,
  at: number,
  from: number,
  to: number | null,
): AsyncGenerator<Buffer, void, undefined> {
  let position = at
  for await (const piece of pieces) {
    const begin = Math.max(0, from - position)
    const stop = to === null ? piece.byteLength : Math.min(piece.byteLength, to + 1 - position)
    position += piece.byteLength
    if (begin < stop) yield piece.subarray(begin, stop)
    if (to !== null && position > to) return
  }
  if (to !== null && position <= to) throw createContentCutError(position)
}

/**
 * Which bytes an answer holds; null means all. Throws if they are not those requested, or not of
 * this content.
 */
function partOf(
  content: Content,
  { meta, length }: BridgeStream,
  range: ByteRange | null,
): ReturnType<typeof parseContentRange> {
  const before = content.head?.meta.headers ?? {}
  for (const name of ['etag', 'last-modified']) {
    const [then, now] = [before[name], meta.headers[name]]
    if (then !== undefined && now !== undefined && then !== now) throw createContentChangedError()
  }
  if (meta.status !== 206) {
    if (range) content.supportsRanges = false
    if (content.total !== null && length !== null && length !== content.total) throw createContentChangedError()
    return null
  }
  const got = parseContentRange(meta.headers['content-range'])
  if (!range || !got || got.start !== range.start || (range.end !== null && got.end > range.end))
    throw createWrongRangeError()
  if (length !== null && length !== got.end - got.start + 1) throw createWrongRangeError()
  if (got.size !== null && content.total !== null && got.size !== content.total) throw createContentChangedError()
  if (content.total !== null && got.end >= content.total) throw createWrongRangeError()
  // Compressed parts cannot be put together.
  if (!/^(?:identity)?$/i.test(meta.headers['content-encoding']?.trim() ?? '')) throw createWrongRangeError()
  content.supportsRanges = true
  return got
}
