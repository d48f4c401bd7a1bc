import { Readable } from 'node:stream'
import { createCancelledError } from '../../../shared/errors.ts'
import { createTooLargeError } from '../bridge/wire/wire-errors.ts'

/** A controller that is aborted by the first of several signals. */
interface Linked {
  readonly signal: AbortSignal
  abort(): void
  /** Unsubscribes from the signals, which may live much longer. */
  unlink(): void
}

/**
 * `AbortSignal.any` would do, but in Electron 33's Node its signal may be collected while somebody
 * is still listening, and it leaves a permanent trace in each source.
 */
export function linkSignals(...signals: readonly AbortSignal[]): Linked {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  for (const signal of signals) {
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  }
  return {
    signal: controller.signal,
    abort,
    unlink() {
      for (const signal of signals) signal.removeEventListener('abort', abort)
    },
  }
}

type Pieces = AsyncGenerator<Buffer, void, undefined>

/**
 * The pieces that `open` yields as a stream for a transport: at most `most` bytes, read no faster
 * than they are taken. What `open` requested ends when one of the signals is aborted, even while
 * nobody reads the stream, and when the stream is destroyed. Resolves once the first piece is
 * available, and throws whatever fails before that, so that a failure becomes a status and not a
 * response that breaks off.
 */
export async function createPieceStream(
  ends: readonly AbortSignal[],
  most: number,
  open: (signal: AbortSignal) => Pieces,
): Promise<Readable> {
  // Returning from a waiting generator does not end it; ending what it waits for does.
  const stop = linkSignals(...ends)
  const pieces = upTo(most, open(stop.signal))
  let first: Buffer | null
  try {
    first = (await pieces.next()).value ?? null
  } catch (error) {
    stop.unlink()
    throw error
  }
  const body = Readable.from(after(first, pieces), { highWaterMark: 1 })
  stop.signal.addEventListener('abort', () => void body.destroy(createCancelledError()), { once: true })
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
    if (given > most) throw createTooLargeError(most, Buffer.alloc(0))
    yield piece
  }
}

async function* after(first: Buffer | null, rest: Pieces): Pieces {
  if (first) yield first
  yield* rest
}
