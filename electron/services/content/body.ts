import { cancelled } from '../../../shared/errors.ts'
import { Readable } from 'node:stream'
import { tooLarge } from '../bridge/failure.ts'
import { linked } from './linked.ts'

type Pieces = AsyncGenerator<Buffer, void, undefined>

/**
 * The pieces that `open` gives as a stream for a transport, read no faster than they are taken, and at most so many bytes of them. It
 * ends what `open` asked for when one of the signals is aborted, also while nobody reads it, and when it is destroyed. Resolves with
 * the first piece at hand, and throws what that throws: a failure is then a status and not an answer that breaks off.
 */
export async function bodyOf(
  ends: readonly AbortSignal[],
  most: number,
  open: (signal: AbortSignal) => Pieces,
): Promise<Readable> {
  // A generator that waits is not ended by being returned from: what it waits for is.
  const stop = linked(...ends)
  const pieces = upTo(most, open(stop.signal))
  let first: Buffer | null
  try {
    first = (await pieces.next()).value ?? null
  } catch (error) {
    stop.unlink()
    throw error
  }
  const body = Readable.from(after(first, pieces), { highWaterMark: 1 })
  stop.signal.addEventListener('abort', () => void body.destroy(cancelled()), { once: true })
  body.once('close', () => {
    stop.unlink()
    stop.abort()
  })
  body.on('error', () => undefined)
  return body
}

async function* upTo(most: number, pieces: Pieces): Pieces {
  let given = 0
  for await (const piece of pieces) {
    given += piece.byteLength
    if (given > most) throw tooLarge(most, Buffer.alloc(0))
    yield piece
  }
}

async function* after(first: Buffer | null, rest: Pieces): Pieces {
  if (first) yield first
  yield* rest
}
