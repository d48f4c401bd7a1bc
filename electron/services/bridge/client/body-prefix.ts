import type { IncomingHttpHeaders } from 'node:http'
import { finished, type Transform } from 'node:stream'
import type { StoredBody } from '../../../../shared/traffic/exchange.ts'
import { createDecoder, getContentEncoding } from '../wire/body-decoder.ts'

const FIRST_BYTES = 16 * 1024

/**
 * The beginning of a body that passes through, up to a number of bytes, copied: the pieces belong to whoever passes them on. `expected` is
 * the size that was announced.
 */
export class BodyPrefix {
  #buffer: Buffer | null = null
  #size = 0
  readonly #most: number
  readonly #expected: number
  receivedBytes = 0

  constructor(room: number, expected = 0) {
    this.#most = room
    this.#expected = expected
  }

  append(piece: Buffer): void {
    this.receivedBytes += piece.byteLength
    const size = Math.min(this.#most, this.#size + piece.byteLength)
    if (size <= this.#size) return
    this.#size += piece.copy(this.#roomFor(size), this.#size, 0, size - this.#size)
  }

  /** More arrived than is kept. */
  get isTruncated(): boolean {
    return this.receivedBytes > this.#most
  }

  get bytes(): Buffer | null {
    return this.#buffer?.subarray(0, this.#size) ?? null
  }

  #roomFor(size: number): Buffer {
    const had = this.#buffer
    if (had && size <= had.byteLength) return had
    const next = had === null ? Math.max(this.#expected || FIRST_BYTES, size) : Math.max(2 * had.byteLength, size)
    const buffer = Buffer.allocUnsafeSlow(Math.min(this.#most, next))
    had?.copy(buffer, 0, 0, this.#size)
    this.#buffer = buffer
    return buffer
  }
}

/** What is kept of a body; `counted` if `received` is all of it. */
interface StoredPrefix {
  readonly bytes: Buffer | null
  readonly receivedBytes: number
  readonly isCounted: boolean
  readonly missing: StoredBody['missing']
}

/** Bytes that may wait for the decoder. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024

/**
 * The beginning of a body that passes through as it is encoded, decoded beside it. Never holds the body up: if the decoder cannot follow,
 * it is left behind. Nothing is decoded beyond what is kept, so that a small body cannot become an endless one.
 */
export class DecodedBodyPrefix {
  readonly #kept: BodyPrefix
  #decoder: Transform | null
  #missing: StoredBody['missing'] = null

  constructor(room: number, headers: IncomingHttpHeaders) {
    this.#decoder = decoderOf(getContentEncoding(headers))
    this.#kept = new BodyPrefix(room, this.#decoder ? 0 : Number(headers['content-length'] ?? 0))
    this.#decoder?.on('data', (piece: Buffer) => {
      this.#kept.append(piece)
      if (this.#kept.isTruncated) this.#leave('limit')
    })
    // A damaged body is kept as far as it could be read.
    this.#decoder?.on('error', () => undefined)
  }

  append(piece: Buffer): void {
    if (this.#missing !== null) return
    if (this.#decoder === null) this.#kept.append(piece)
    else if (this.#decoder.writableLength > MAX_WAITING_BYTES) this.#leave('busy')
    else if (!this.#decoder.destroyed) this.#decoder.write(Buffer.from(piece))
  }

  /** Resolves once all that was taken has been decoded. */
  async finish(): Promise<StoredPrefix> {
    const decoder = this.#decoder
    if (decoder && !decoder.destroyed) {
      decoder.end()
      await new Promise<void>((resolve) => finished(decoder, { writable: false }, () => resolve()))
    }
    const { bytes, receivedBytes: received, isTruncated: full } = this.#kept
    return {
      bytes,
      receivedBytes: received,
      isCounted: this.#missing === null,
      missing: full ? 'limit' : this.#missing,
    }
  }

  #leave(why: StoredBody['missing']): void {
    this.#missing = why
    this.#decoder?.destroy()
  }
}

/** One for an encoding that cannot be read is kept as it came. */
function decoderOf(encoding: string): Transform | null {
  try {
    return createDecoder(encoding)
  } catch {
    return null
  }
}
