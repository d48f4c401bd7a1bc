import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { AppError } from '../../../shared/errors.ts'
import { tooLarge } from './failure.ts'

/** The body as a stream of decoded bytes. Throws `ENCODING_UNKNOWN` for an encoding that was not asked for. */
export function decoded(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const decoder = decoderFor(encoding)
  if (decoder === null) return response
  response.on('error', (error) => decoder.destroy(error))
  response.on('aborted', () => decoder.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })))
  return response.pipe(decoder)
}

function decoderFor(encoding: string): Transform | null {
  if (encoding === 'identity' || encoding === '') return null
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip()
  if (encoding === 'deflate') return createInflate()
  if (encoding === 'br') return createBrotliDecompress()
  throw new AppError({
    kind: 'malformed',
    code: 'ENCODING_UNKNOWN',
    message: `The host encoded its answer as "${encoding.slice(0, 40)}", which was not asked for.`,
    retryable: false,
  })
}

/**
 * Collects decoded bytes up to `maxBytes`. The limit counts what comes out of the decoder, so that a small compressed body
 * cannot become a large one. `onBytes` hears of every piece (idle timer). Throws `RESPONSE_TOO_LARGE`.
 */
export async function collect(
  stream: Readable,
  maxBytes: number,
  onBytes: (total: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of stream) {
    const buffer = piece as Buffer
    size += buffer.byteLength
    if (size > maxBytes) {
      stream.destroy()
      throw tooLarge(maxBytes)
    }
    pieces.push(buffer)
    onBytes(size)
  }
  // A buffer of its own: it is transferred to the page as a whole, so it must not be a slice of a shared pool.
  const all = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.byteLength
  }
  return all
}
