import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { AppError } from '../../../../shared/errors.ts'
import { createTooLargeError } from './wire-errors.ts'

/** @throws ENCODING_UNKNOWN for an encoding that was not requested. */
export function createDecodedStream(response: IncomingMessage): Readable {
  const decoder = createDecoder(getContentEncoding(response.headers))
  if (decoder === null) return response
  // An error on either side ends both; the reader of the decoder sees it.
  pipeline(response, decoder, () => undefined)
  return decoder
}

/** The declared encoding of a body, in lower case; `identity` if there is none. */
export function getContentEncoding(headers: Pick<IncomingMessage['headers'], 'content-encoding'>): string {
  return (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
}

/**
 * @returns Null for a body that is not encoded.
 * @throws ENCODING_UNKNOWN
 */
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

const MAX_EXCERPT_BYTES = 16_384
const MAX_PREALLOCATED_BYTES = 64 * 1024 * 1024

/** A longer error says no more than its beginning. */
export const MAX_ERROR_BYTES = 65_536

interface BodyLimits {
  readonly maxBytes: number
  /** Judges a body longer than `MAX_ERROR_BYTES` by its first bytes. */
  readonly isError: (beginning: Uint8Array) => boolean
}

/**
 * Collects up to `maxBytes` decoded bytes, or the beginning of a long error. The limit counts
 * decoded bytes, so that a small compressed body cannot become a large one. The bytes are copied
 * into one buffer that can be transferred. Keeping the pieces of a host that sends single bytes
 * would take a hundred bytes of memory per byte.
 * @param onBytes Called with each piece: the number of bytes so far, and the buffer that begins
 *   with them.
 * @throws RESPONSE_TOO_LARGE with the beginning of the body; also the errors of the stream.
 */
export function collectBody(
  stream: Readable,
  { maxBytes, isError }: BodyLimits,
  response: IncomingMessage,
  onBytes: (total: number, buffer: Uint8Array) => void,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly isTruncated: boolean }> {
  const declaredBytes =
    getContentEncoding(response.headers) === 'identity' ? Number(response.headers['content-length'] ?? 0) : 0
  return new Promise((resolve, reject) => {
    // A body that is announced as too large is rejected after its first bytes, which the error
    // quotes.
    const acceptedBytes = declaredBytes > maxBytes ? 0 : maxBytes
    let buffer = new Uint8Array(Math.min(declaredBytes > 0 ? declaredBytes : MAX_ERROR_BYTES, MAX_ERROR_BYTES))
    let size = 0
    let isErrorChecked = false
    // `read` returns everything that has arrived as one piece. An iterator would take a turn of the
    // event loop for every one-byte chunk.
    stream.on('readable', () => {
      for (let piece = readPiece(stream); piece !== null; piece = readPiece(stream)) {
        const nextSize = size + piece.byteLength
        if (!isErrorChecked && nextSize > MAX_ERROR_BYTES) {
          isErrorChecked = true
          buffer = growBuffer(buffer, size, MAX_ERROR_BYTES)
          buffer.set(piece.subarray(0, MAX_ERROR_BYTES - size), size)
          if (isError(buffer)) {
            stream.removeAllListeners('readable')
            onBytes(nextSize, buffer)
            return resolve({ bytes: buffer, isTruncated: true })
          }
          if (nextSize <= acceptedBytes)
            buffer = growBuffer(
              buffer,
              size,
              Math.min(Math.max(declaredBytes, nextSize), MAX_PREALLOCATED_BYTES, maxBytes),
            )
        }
        if (nextSize > acceptedBytes) {
          stream.removeAllListeners('readable')
          const beginning = Buffer.concat([
            buffer.subarray(0, Math.min(size, MAX_EXCERPT_BYTES)),
            piece.subarray(0, MAX_EXCERPT_BYTES),
          ])
          return reject(createTooLargeError(maxBytes, beginning.subarray(0, MAX_EXCERPT_BYTES)))
        }
        if (nextSize > buffer.byteLength)
          buffer = growBuffer(buffer, size, Math.min(maxBytes, Math.max(nextSize, buffer.byteLength * 2)))
        buffer.set(piece, size)
        size = nextSize
        onBytes(size, buffer)
      }
    })
    const buildResult = () => ({
      bytes: size === buffer.byteLength ? buffer : buffer.slice(0, size),
      isTruncated: false,
    })
    stream.once('end', () => resolve(buildResult()))
    stream.once('error', reject)
    stream.once('close', () => reject(Object.assign(new Error('closed early'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })))
  })
}

const readPiece = (stream: Readable): Buffer | null => stream.read() as Buffer | null

function growBuffer(source: Uint8Array, size: number, capacity: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(capacity)
  larger.set(source.subarray(0, size))
  return larger
}
