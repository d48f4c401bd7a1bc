import { finished, type Transform } from 'node:stream'
import type { KeptBody } from '../../../../shared/traffic/exchange.ts'
import { decoderFor } from '../wire/decode.ts'

/** The beginning of a body that passes through, up to a number of bytes. */
export class Beginning {
  #pieces: Buffer[] = []
  readonly #most: number
  #room: number
  received = 0

  constructor(room: number) {
    this.#most = room
    this.#room = room
  }

  take(piece: Buffer): void {
    this.received += piece.byteLength
    if (this.#room <= 0) return
    this.#pieces.push(piece.subarray(0, this.#room))
    this.#room -= piece.byteLength
  }

  /** More arrived than is kept. */
  get full(): boolean {
    return this.received > this.#most
  }

  get bytes(): Buffer | null {
    return this.#pieces.length === 0 ? null : Buffer.concat(this.#pieces)
  }
}

/** What is kept of a body; `counted` if `received` is all of it. */
export interface KeptBeginning {
  readonly bytes: Buffer | null
  readonly received: number
  readonly counted: boolean
  readonly missing: KeptBody['missing']
}

/** Bytes that may wait for the decoder. */
const MOST_WAITING = 8 * 1024 * 1024

/**
 * The beginning of a body that passes through as it is encoded, decoded beside it. Never holds the body up: if the decoder cannot follow,
 * it is left behind. Nothing is decoded beyond what is kept, so that a small body cannot become an endless one.
 */
export class DecodedBeginning {
  readonly #kept: Beginning
  #decoder: Transform | null
  #missing: KeptBody['missing'] = null

  constructor(room: number, encoding: string) {
    this.#kept = new Beginning(room)
    this.#decoder = decoderOf(encoding)
    this.#decoder?.on('data', (piece: Buffer) => {
      this.#kept.take(piece)
      if (this.#kept.full) this.#leave('limit')
    })
    // A damaged body is kept as far as it could be read.
    this.#decoder?.on('error', () => undefined)
  }

  take(piece: Buffer): void {
    if (this.#missing !== null) return
    if (this.#decoder === null) this.#kept.take(piece)
    else if (this.#decoder.writableLength > MOST_WAITING) this.#leave('busy')
    else if (!this.#decoder.destroyed) this.#decoder.write(piece)
  }

  /** Resolves once all that was taken has been decoded. */
  async end(): Promise<KeptBeginning> {
    const decoder = this.#decoder
    if (decoder && !decoder.destroyed) {
      decoder.end()
      await new Promise<void>((resolve) => finished(decoder, { writable: false }, () => resolve()))
    }
    const { bytes, received, full } = this.#kept
    return { bytes, received, counted: this.#missing === null, missing: full ? 'limit' : this.#missing }
  }

  #leave(why: KeptBody['missing']): void {
    this.#missing = why
    this.#decoder?.destroy()
  }
}

/** One for an encoding that cannot be read is kept as it came. */
function decoderOf(encoding: string): Transform | null {
  try {
    return decoderFor(encoding)
  } catch {
    return null
  }
}
