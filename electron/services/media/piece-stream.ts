import { Readable } from 'node:stream'
import { createCancelledError } from '../../../shared/errors.ts'
import { createTooLargeError } from '../bridge/wire/wire-errors.ts'
import { NodeAbortController } from '../../core/node-abort.ts'

/** A controller that is aborted by the first of several signals. */
interface LinkedSignals {
  readonly signal: AbortSignal
  abort(): void
  /** Unsubscribes from the signals, which may live much longer. */
  unlink(): void
}

/**
 * Creates a controller that is aborted together with the first of the signals. `AbortSignal.any` is
 * not used because in Electron 33's Node its signal may be garbage-collected while it still has
 * listeners, and because it leaks memory in every source.
 */
export function linkSignals(...signals: readonly AbortSignal[]): LinkedSignals {
  const controller = new NodeAbortController()
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

type PieceGenerator = AsyncGenerator<Buffer, void, undefined>

/**
 * Creates a stream of the pieces that `open` yields, for a transport. The stream is read no faster
 * than its reader takes the pieces. The signal for `open` is aborted with the first of
 * `endSignals`, even while the stream is not being read, and when the stream is destroyed. Resolves
 * once the first piece is available and throws errors that come before it, so that they become a
 * status instead of a response that breaks off.
 * @param maxBytes The stream fails when there are more.
 */
export async function createPieceStream(
  endSignals: readonly AbortSignal[],
  maxBytes: number,
  open: (signal: AbortSignal) => PieceGenerator,
): Promise<Readable> {
  // Returning from a waiting generator does not end it; aborting the request it waits for does.
  const linkedSignals = linkSignals(...endSignals)
  const pieces = limitBytes(maxBytes, open(linkedSignals.signal))
  let firstPiece: Buffer | null
  try {
    firstPiece = (await pieces.next()).value ?? null
  } catch (error) {
    linkedSignals.unlink()
    throw error
  }
  const body = Readable.from(prependPiece(firstPiece, pieces), { highWaterMark: 1 })
  linkedSignals.signal.addEventListener('abort', () => void body.destroy(createCancelledError()), { once: true })
  body.once('close', () => {
    linkedSignals.unlink()
    linkedSignals.abort()
  })
  body.on('error', () => undefined)
  return body
}

async function* limitBytes(maxBytes: number, pieces: PieceGenerator): PieceGenerator {
  let byteCount = 0
  for await (const piece of pieces) {
    byteCount += piece.byteLength
    if (byteCount > maxBytes) throw createTooLargeError(maxBytes, Buffer.alloc(0))
    yield piece
  }
}

async function* prependPiece(firstPiece: Buffer | null, rest: PieceGenerator): PieceGenerator {
  if (firstPiece) yield firstPiece
  yield* rest
}
