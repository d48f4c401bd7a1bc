import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { AppError } from '../../../../shared/errors.ts'
import { createTooLargeError } from './wire-errors.ts'

/** The body as a stream of decoded bytes. Throws `ENCODING_UNKNOWN` for an encoding that was not requested. */
export function createDecodedStream(response: IncomingMessage): Readable {
  const decoder = createDecoder(getContentEncoding(response.headers))
  if (decoder === null) return response
  // An error on either side ends both; whoever reads the decoder sees it.
  pipeline(response, decoder, () => undefined)
  return decoder
}

/** The declared encoding of a body, in lower case. */
export function getContentEncoding(headers: Pick<IncomingMessage['headers'], 'content-encoding'>): string {
  return (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
}

/** Null for a body that is not encoded. Throws `ENCODING_UNKNOWN`. */
export function createDecoder(encoding: string): Transform | null {
  if (encoding === 'identity' || encoding === '') return null
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip()
  if (encoding === 'deflate') return createInflate()
  if (encoding === 'br') return createBrotliDecompress()
  throw new AppError({
    kind: 'malformed',
    code: 'ENCODING_UNKNOWN',
    message: `The host encoded its answer as "${encoding.slice(0, 40)}", which was not requested.`,
    retryable: false,
    params: { encoding: encoding.slice(0, 40) },
  })
}

/** How many bytes of a cut-off answer are shown. */
const SHOWN = 16_384
const MAX_PREALLOCATED_BYTES = 64 * 1024 * 1024

/** How many bytes of an error are kept; a longer one says no more than its beginning. */
export const MAX_ERROR_BYTES = 65_536

interface Bounds {
  readonly maxBytes: number
  /** Whether an answer longer than `ERROR_BYTES` is an error, judged by its beginning. */
  readonly isError: (beginning: Uint8Array) => boolean
}

/**
 * Collects up to `maxBytes` decoded bytes; of an error only the beginning, marked as `cut`. The limit counts decoded bytes, so that a
 * small compressed body cannot become a large one. `onBytes` is called with every piece: how many bytes
 * have arrived, and the buffer that begins with them. Throws `RESPONSE_TOO_LARGE`, with the beginning of the body, and the stream's own
 * errors.
 *
 * The bytes are copied piece by piece into a buffer of their own, ready to be transferred: if the pieces were kept, a host that sends
 * single bytes would cost us a hundred bytes for each.
 */
export function collectBody(
  stream: Readable,
  { maxBytes, isError }: Bounds,
  response: IncomingMessage,
  onBytes: (total: number, buffer: Uint8Array) => void,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly isTruncated: boolean }> {
  const declared =
    getContentEncoding(response.headers) === 'identity' ? Number(response.headers['content-length'] ?? 0) : 0
  return new Promise((resolve, reject) => {
    // Announced as too long: its first bytes are enough to show what it is.
    const most = declared > maxBytes ? 0 : maxBytes
    let all = new Uint8Array(Math.min(declared > 0 ? declared : MAX_ERROR_BYTES, MAX_ERROR_BYTES))
    let size = 0
    let judged = false
    // `read` returns everything that has arrived as one piece; an iterator would take a turn for every one-byte chunk.
    stream.on('readable', () => {
      for (let piece = take(stream); piece !== null; piece = take(stream)) {
        const next = size + piece.byteLength
        if (!judged && next > MAX_ERROR_BYTES) {
          judged = true
          all = grown(all, size, MAX_ERROR_BYTES)
          all.set(piece.subarray(0, MAX_ERROR_BYTES - size), size)
          if (isError(all)) {
            stream.removeAllListeners('readable')
            onBytes(next, all)
            return resolve({ bytes: all, isTruncated: true })
          }
          if (next <= most) all = grown(all, size, Math.min(Math.max(declared, next), MAX_PREALLOCATED_BYTES, maxBytes))
        }
        if (next > most) {
          stream.removeAllListeners('readable')
          const beginning = Buffer.concat([all.subarray(0, Math.min(size, SHOWN)), piece.subarray(0, SHOWN)])
          return reject(createTooLargeError(maxBytes, beginning.subarray(0, SHOWN)))
        }
        if (next > all.byteLength) all = grown(all, size, Math.min(maxBytes, Math.max(next, all.byteLength * 2)))
        all.set(piece, size)
        size = next
        onBytes(size, all)
      }
    })
    const whole = () => ({ bytes: size === all.byteLength ? all : all.slice(0, size), isTruncated: false })
    stream.once('end', () => resolve(whole()))
    stream.once('error', reject)
    stream.once('close', () => reject(Object.assign(new Error('closed early'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })))
  })
}

const take = (stream: Readable): Buffer | null => stream.read() as Buffer | null

function grown(from: Uint8Array, size: number, capacity: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(capacity)
  larger.set(from.subarray(0, size))
  return larger
}
