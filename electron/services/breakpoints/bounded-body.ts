import { Readable } from 'node:stream'
import { MAX_HELD_BODY_BYTES, MAX_HELD_BYTES, type LapseReason } from '../../../shared/panel/breakpoints.ts'

interface ReadingLimits {
  readonly maxBytes: number
  readonly maxMs: number
  /** Returns false if the memory for all bodies is used up. */
  readonly reserve: (bytes: number) => boolean
}

/** A whole body, or a stream with the same content, which breaks off at the same place. */
export interface BoundedBody {
  readonly body: Buffer | Readable
  /** Why the body is still a stream; null if it is whole or broke off. */
  readonly lapse: LapseReason | null
}

/** Reads for at most this many seconds; with bodies already held, all stay within the limit. */
export function createBodyReader(
  countHeldBytes: () => number,
): (body: Readable, maxSeconds: number) => Promise<BoundedBody> {
  /** Bytes of all bodies that are being read. */
  let readBytes = 0
  return async (body, maxSeconds) => {
    let reservedBytes = 0
    const reserve = (bytes: number): boolean => {
      if (countHeldBytes() + readBytes + bytes > MAX_HELD_BYTES) return false
      readBytes += bytes
      reservedBytes += bytes
      return true
    }
    try {
      return await readBoundedBody(body, { maxBytes: MAX_HELD_BODY_BYTES, maxMs: maxSeconds * 1000, reserve })
    } finally {
      readBytes -= reservedBytes
    }
  }
}

/** Reads a body as long as the limits allow. */
export async function readBoundedBody(
  body: Readable,
  { maxBytes, maxMs, reserve }: ReadingLimits,
): Promise<BoundedBody> {
  const pieces: Buffer[] = []
  let size = 0
  const iterator = body.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>
  const goOn = (lapse: LapseReason, next = iterator.next()): BoundedBody => {
    // The error is thrown again when the stream is read.
    next.catch(() => undefined)
    const stream = joinStream(pieces, next, iterator)
    stream.once('close', () => body.destroy())
    return { body: stream, lapse }
  }
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<null>((resolve) => (timer = setTimeout(resolve, maxMs, null).unref()))
  try {
    for (;;) {
      const next = iterator.next()
      const result = await Promise.race([next, timeout])
      if (result === null) return goOn('too-slow', next)
      if (result.done) return { body: Buffer.concat(pieces), lapse: null }
      // The buffer of a piece may be used again.
      pieces.push(Buffer.from(result.value))
      size += result.value.byteLength
      if (size > maxBytes) return goOn('too-long')
      if (!reserve(result.value.byteLength)) return goOn('full')
    }
  } catch (error) {
    const failed = Promise.reject(error as Error)
    failed.catch(() => undefined)
    return { body: joinStream(pieces, failed, iterator), lapse: null }
  } finally {
    clearTimeout(timer)
  }
}

function joinStream(
  pieces: readonly Buffer[],
  next: Promise<IteratorResult<Buffer>>,
  rest: AsyncIterableIterator<Buffer>,
): Readable {
  async function* read(): AsyncGenerator<Buffer> {
    yield* pieces
    const result = await next
    if (result.done) return
    yield result.value
    yield* rest
  }
  return Readable.from(read(), { objectMode: false })
}
