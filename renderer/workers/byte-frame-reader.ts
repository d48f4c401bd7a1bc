type Bytes = Uint8Array<ArrayBuffer>

/** A shorter stretch is read together with what follows it, and copied. */
const MIN_DIRECT_BYTES = 4096

/** Cuts a stream of bytes into stretches of known length. */
export class ByteFrameReader {
  /** Fills buffers of ours, so that nothing is copied on the way; null if this stream can't. */
  readonly #direct: ReadableStreamBYOBReader | null
  readonly #read: () => Promise<ReadableStreamReadResult<Bytes>>
  #short: Bytes = new Uint8Array(MIN_DIRECT_BYTES)
  /** What arrived and was not asked for yet. */
  #rest: Bytes = new Uint8Array(0)

  constructor(stream: ReadableStream<Bytes>) {
    const direct = directReader(stream)
    this.#direct = direct
    if (direct) this.#read = () => direct.read(this.#short)
    else {
      const plain = stream.getReader()
      this.#read = () => plain.read()
    }
  }

  /**
   * The next `length` bytes in a buffer of their own; null at the end of the stream. Throws a TypeError if it ends in the middle of them, and
   * what the stream throws.
   */
  async readFrame(length: number): Promise<ArrayBuffer | null> {
    let taken: Bytes = new Uint8Array(length)
    let filled = this.#takeRest(taken, 0)
    while (filled < length) {
      if (this.#direct !== null && length - filled >= MIN_DIRECT_BYTES) {
        const { done, value } = await this.#direct.read(taken.subarray(filled))
        if (done) return ended(filled)
        // Reading detaches a buffer, and returns its bytes in another one.
        taken = new Uint8Array(value.buffer)
        filled += value.length
      } else {
        const more = await this.#more()
        if (more === null) return ended(filled)
        this.#rest = more
        filled += this.#takeRest(taken, filled)
      }
    }
    return taken.buffer
  }

  #takeRest(into: Bytes, at: number): number {
    const piece = this.#rest.subarray(0, into.length - at)
    into.set(piece, at)
    this.#rest = this.#rest.subarray(piece.length)
    return piece.length
  }

  async #more(): Promise<Bytes | null> {
    const { done, value } = await this.#read()
    if (this.#direct !== null && value !== undefined) this.#short = new Uint8Array(value.buffer)
    return done ? null : value
  }
}

/** Only streams of bytes have a reader of this kind. */
function directReader(stream: ReadableStream<Bytes>): ReadableStreamBYOBReader | null {
  try {
    return stream.getReader({ mode: 'byob' })
  } catch {
    return null
  }
}

function ended(filled: number): null {
  if (filled > 0) throw new TypeError('the answer ends early')
  return null
}
