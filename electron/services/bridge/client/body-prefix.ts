import type { IncomingHttpHeaders } from 'node:http'
import { finished, type Transform } from 'node:stream'
import type { StoredBody } from '../../../../shared/traffic/exchange.ts'
import { createDecoder, getContentEncoding } from '../wire/body-decoder.ts'

const INITIAL_BUFFER_BYTES = 16 * 1024

/**
 * The first bytes of a body that passes through. They are copied, because the pieces belong to the
 * reader.
 * `expectedBytes` is the announced size of the body, 0 if unknown.
 */
export class BodyPrefix {
  #buffer: Buffer | null = null
  #size = 0
  readonly #maxBytes: number
  readonly #expectedBytes: number
  receivedBytes = 0

  constructor(maxBytes: number, expectedBytes = 0) {
    this.#maxBytes = maxBytes
    this.#expectedBytes = expectedBytes
  }

  append(piece: Buffer): void {
    this.receivedBytes += piece.byteLength
    const size = Math.min(this.#maxBytes, this.#size + piece.byteLength)
    if (size <= this.#size) return
    this.#size += piece.copy(this.#ensureCapacity(size), this.#size, 0, size - this.#size)
  }

  /** Whether more bytes arrived than are stored. */
  get isTruncated(): boolean {
    return this.receivedBytes > this.#maxBytes
  }

  get bytes(): Buffer | null {
    return this.#buffer?.subarray(0, this.#size) ?? null
  }

  #ensureCapacity(size: number): Buffer {
    const current = this.#buffer
    if (current && size <= current.byteLength) return current
    const capacity =
      current === null
        ? Math.max(this.#expectedBytes || INITIAL_BUFFER_BYTES, size)
        : Math.max(2 * current.byteLength, size)
    const buffer = Buffer.allocUnsafeSlow(Math.min(this.#maxBytes, capacity))
    current?.copy(buffer, 0, 0, this.#size)
    this.#buffer = buffer
    return buffer
  }
}

/**
 * The stored beginning of a body. `isCounted` is false if `receivedBytes` is not the whole size.
 */
interface StoredPrefix {
  readonly bytes: Buffer | null
  readonly receivedBytes: number
  readonly isCounted: boolean
  readonly missing: StoredBody['missing']
}

/** Maximum bytes that may wait for the decoder. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024

/**
 * The decoded beginning of an encoded body that passes through. Decoding never delays the body,
 * because a decoder that is too slow is abandoned. Decoding stops at `maxBytes`, because a small
 * body may decode to an endless one.
 */
export class DecodedBodyPrefix {
  readonly #prefix: BodyPrefix
  #decoder: Transform | null
  #missing: StoredBody['missing'] = null

  constructor(maxBytes: number, headers: IncomingHttpHeaders) {
    this.#decoder = tryCreateDecoder(getContentEncoding(headers))
    this.#prefix = new BodyPrefix(maxBytes, this.#decoder ? 0 : Number(headers['content-length'] ?? 0))
    this.#decoder?.on('data', (piece: Buffer) => {
      this.#prefix.append(piece)
      if (this.#prefix.isTruncated) this.#abandonDecoder('limit')
    })
    // A damaged body is stored as far as it could be decoded.
    this.#decoder?.on('error', () => undefined)
  }

  append(piece: Buffer): void {
    if (this.#missing !== null) return
    if (this.#decoder === null) this.#prefix.append(piece)
    else if (this.#decoder.writableLength > MAX_WAITING_BYTES) this.#abandonDecoder('busy')
    else if (!this.#decoder.destroyed) this.#decoder.write(Buffer.from(piece))
  }

  /** Resolves when every piece has been decoded. */
  async finish(): Promise<StoredPrefix> {
    const decoder = this.#decoder
    if (decoder && !decoder.destroyed) {
      decoder.end()
      await new Promise<void>((resolve) => finished(decoder, { writable: false }, () => resolve()))
    }
    const { bytes, receivedBytes, isTruncated } = this.#prefix
    return {
      bytes,
      receivedBytes,
      isCounted: this.#missing === null,
      missing: isTruncated ? 'limit' : this.#missing,
    }
  }

  #abandonDecoder(reason: StoredBody['missing']): void {
    this.#missing = reason
    this.#decoder?.destroy()
  }
}

/**
 * Null if the body is not encoded or the encoding is unknown; such a body is stored as it arrived.
 */
function tryCreateDecoder(encoding: string): Transform | null {
  try {
    return createDecoder(encoding)
  } catch {
    return null
  }
}
