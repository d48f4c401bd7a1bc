import type { IncomingMessage } from 'node:http'
import { Duplex, PassThrough, Readable, type Transform } from 'node:stream'
import zlib from 'node:zlib'
import { AppError } from '../../../../shared/errors.ts'
import type { BodyPrefix } from './body-prefix.ts'
import { createTooLargeError, getNodeErrorCode } from './wire-errors.ts'

/** What does not decode is yielded as received, as is a part that needs the rest to decode. */
export function createDecodedStream(response: IncomingMessage): {
  readonly stream: Readable
  /** Known with the first byte of the stream. */
  readonly isUndecodable: () => boolean
} {
  const { statusCode, headers } = response
  const encoding = getContentEncoding(headers)
  const isEncoded = parseCodings(encoding).length > 0
  if (!isEncoded || statusCode === 206) return { stream: response, isUndecodable: () => isEncoded }
  // A body of unknown length may be short as well.
  const decoding = decodePassingBody(response, encoding, Number(headers['content-length'] ?? 0))
  let isUndecodable = false
  async function* readPassedBody(): AsyncGenerator<Buffer> {
    const { stream, isDecoded } = await decoding
    isUndecodable = !isDecoded
    yield* stream as AsyncIterable<Buffer>
  }
  return { stream: Readable.from(readPassedBody(), { objectMode: false }), isUndecodable: () => isUndecodable }
}

/** Keeps the bytes as received, also undecodable ones. An unknown encoding is a stream's error. */
export function createKeptDecodedStream(response: IncomingMessage, received: BodyPrefix): Readable {
  const decoder = createDecoderOrFailure(getContentEncoding(response.headers))
  if (decoder === null) return response
  response.on('data', (piece: Buffer) => {
    received.append(piece)
    if (decoder.destroyed && received.isTruncated) response.destroy()
    else if (!decoder.destroyed && !decoder.write(piece)) response.pause()
  })
  for (const event of ['drain', 'close']) decoder.on(event, () => response.resume())
  response.once('end', () => decoder.end())
  response.once('error', (error) => decoder.destroy(error))
  response.once('close', () => {
    if (!response.readableEnded) decoder.destroy()
  })
  return decoder
}

function createDecoderOrFailure(encoding: string): Duplex | null {
  try {
    return createDecoder(encoding)
  } catch (error) {
    return new PassThrough().destroy(error as Error)
  }
}

export function getContentEncoding(headers: Pick<IncomingMessage['headers'], 'content-encoding'>): string {
  return (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
}

/**
 * Each of the bytes as received and those decoded from them. A body that is announced as longer
 * begins to pass before all of it has been decoded, and so may turn out to be damaged only then.
 */
const MAX_HELD_BYTES = 1024 * 1024

interface PassedBody {
  readonly stream: Readable
  /** False if the body does not decode: the stream then yields the bytes as received. */
  readonly isDecoded: boolean
}

/** Resolves once the beginning is decoded, or all of a short body: nothing can be taken back. */
export function decodePassingBody(body: Readable, encoding: string, declaredBytes: number | null): Promise<PassedBody> {
  const decoder = createDecoderOrFailure(encoding) ?? new PassThrough()
  const received: Buffer[] = []
  const decoded: Buffer[] = []
  const isAwaited = declaredBytes !== null && declaredBytes <= MAX_HELD_BYTES
  let receivedBytes = 0
  let heldBytes = 0
  let isDecided = false
  return new Promise((resolve) => {
    const decide = (passedBody: PassedBody): void => {
      isDecided = true
      received.length = 0
      resolve(passedBody)
    }
    const onReceived = (piece: Buffer): void => {
      if (!isDecided) {
        received.push(piece)
        receivedBytes += piece.byteLength
        if (receivedBytes > MAX_HELD_BYTES) accept()
      }
      if (!decoder.write(piece)) body.pause()
    }
    const onDecoded = (piece: Buffer): void => {
      decoded.push(piece)
      heldBytes += piece.byteLength
      if (!isAwaited || heldBytes > MAX_HELD_BYTES) accept()
    }
    const accept = (): void => {
      if (isDecided) return
      decoder.off('data', onDecoded).pause()
      // Nobody reads the decoder any more, so nobody needs the rest of the body.
      decoder.once('close', () => {
        if (!decoder.readableEnded) body.destroy()
      })
      decide({ stream: Readable.from(chain(decoded, decoder), { objectMode: false }), isDecoded: true })
    }
    const onBodyClose = (): void => {
      if (body.readableEnded) return
      // What could be decoded of a body that breaks off says more than its bytes.
      if (decoded.length > 0) accept()
      decoder.destroy(body.errored ?? new Error('closed early'))
    }
    const refuse = (): void => {
      if (isDecided) return
      body.off('data', onReceived).off('close', onBodyClose).pause()
      const receivedBytes = body.readableEnded ? Buffer.concat(received) : null
      const bytes = decodeGzipWithTrailingBytes(encoding, receivedBytes, MAX_HELD_BYTES)
      const pieces = bytes ? [bytes] : [...received]
      const stream = Readable.from(chain(pieces, body), { objectMode: false })
      decide({ stream, isDecoded: bytes !== null })
    }
    decoder.on('drain', () => body.resume())
    decoder.on('data', onDecoded)
    decoder.once('end', accept)
    decoder.once('error', refuse)
    body.once('end', () => decoder.end())
    body.once('close', onBodyClose)
    body.on('data', onReceived)
  })
}

async function* chain(pieces: readonly Buffer[], rest: Readable): AsyncGenerator<Buffer> {
  yield* pieces
  if (!rest.readableEnded) yield* rest as AsyncIterable<Buffer>
}

const stageCreators: Readonly<Record<string, (firstByte: number) => Transform>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  br: () => zlib.createBrotliDecompress(),
  // RFC 9110 (8.4.1.2) means the zlib format; some servers send its contents without the wrapper.
  deflate: (firstByte) => ((firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
  // Older versions of Node have no zstd.
  ...('createZstdDecompress' in zlib ? { zstd: () => zlib.createZstdDecompress() } : {}),
}

/** More encodings would only serve to keep this program busy. */
const MAX_ENCODINGS = 4

/** One or more encodings as applied (RFC 9110, 8.4); null for none. @throws ENCODING_UNKNOWN */
export function createDecoder(encoding: string): Duplex | null {
  const codings = parseCodings(encoding)
  if (codings.length === 0) return null
  if (codings.length <= MAX_ENCODINGS && codings.every((coding) => Object.hasOwn(stageCreators, coding)))
    return new BodyDecoder(codings)
  throw new AppError({
    kind: 'malformed',
    code: 'ENCODING_UNKNOWN',
    message: `The host encoded its answer as "${encoding.slice(0, 40)}", which was not requested.`,
    retryable: false,
    params: { encoding: encoding.slice(0, 40) },
  })
}

const parseCodings = (encoding: string): string[] =>
  encoding
    .toLowerCase()
    .split(',', MAX_ENCODINGS + 1)
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')

/** Undoes encodings. A body without bytes, as for HEAD, decodes to none whatever was declared. */
class BodyDecoder extends Duplex {
  readonly #codings: readonly string[]
  #first: Transform | null = null
  #last: Duplex | null = null

  constructor(codings: readonly string[]) {
    super()
    this.#codings = codings
  }

  #open(firstByte: number): Transform {
    const first = stageCreators[this.#codings.at(-1) ?? '']?.(firstByte)
    if (!first) throw new Error('no coding')
    const last = this.#codings.length === 1 ? first : first.pipe(new BodyDecoder(this.#codings.slice(0, -1)))
    for (const stage of new Set([first, last])) stage.on('error', (error) => this.destroy(error))
    last.on('data', (piece: Buffer) => {
      if (!this.push(piece)) last.pause()
    })
    last.once('end', () => this.push(null))
    this.#last = last
    return first
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (piece.byteLength === 0) return done()
    this.#first ??= this.#open(piece[0] ?? 0)
    this.#first.write(piece, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#first === null) this.push(null)
    else this.#first.end()
    done()
  }

  override _read(): void {
    this.#last?.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#first?.destroy()
    this.#last?.destroy()
    done(error)
  }
}

/** True for an error of a decoder, also of a body that ends too early for it. */
export function isDecodingError(error: unknown): boolean {
  return (
    (error instanceof AppError && error.code === 'ENCODING_UNKNOWN') ||
    /^(?:Z_|ZSTD_|ERR_BROTLI|ERR_ZSTD|ERR__ERROR)/.test(getNodeErrorCode(error))
  )
}

const GZIP_TRAILER_BYTES = 8

/** Browsers ignore bytes after its end, Node does not. Null for others, or over `maxBytes`. */
export function decodeGzipWithTrailingBytes(encoding: string, body: Buffer | null, maxBytes: number): Buffer | null {
  if (body === null || !/^(?:x-)?gzip$/.test(encoding)) return null
  const members: Buffer[] = []
  let offset = 0
  let remainingBytes = maxBytes
  while (remainingBytes > 0) {
    const start = findDeflatedBytes(body, offset)
    if (start === null) break
    try {
      const options = { info: true, maxOutputLength: remainingBytes }
      const { buffer, engine } = zlib.inflateRawSync(body.subarray(start), options) as unknown as {
        buffer: Buffer
        engine: { bytesWritten: number }
      }
      const end = start + engine.bytesWritten
      if (end + GZIP_TRAILER_BYTES > body.byteLength || zlib.crc32(buffer) !== body.readUInt32LE(end)) return null
      members.push(buffer)
      remainingBytes -= buffer.byteLength
      offset = end + GZIP_TRAILER_BYTES
    } catch {
      return null
    }
  }
  return members.length === 0 ? null : Buffer.concat(members)
}

/** Returns the offset after the header of a gzip member (RFC 1952, 2.3); null if there is none. */
function findDeflatedBytes(body: Buffer, start: number): number | null {
  if (start + 10 > body.byteLength || body.readUIntBE(start, 3) !== 0x1f8b08) return null
  const flags = body[start + 3] ?? 0
  let offset = start + 10
  if (flags & 4) offset += 2 + (offset + 2 <= body.byteLength ? body.readUInt16LE(offset) : 0)
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue
    const terminator = body.indexOf(0, offset)
    if (terminator < 0) return null
    offset = terminator + 1
  }
  if (flags & 2) offset += 2
  return offset < body.byteLength ? offset : null
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
    // A body announced as too large is rejected after its first bytes, which the error quotes.
    const acceptedBytes = declaredBytes > maxBytes ? 0 : maxBytes
    let buffer = new Uint8Array(Math.min(declaredBytes > 0 ? declaredBytes : MAX_ERROR_BYTES, MAX_ERROR_BYTES))
    let size = 0
    let isErrorChecked = false
    // `read` returns all that has arrived; an iterator takes a turn for every one-byte chunk.
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
