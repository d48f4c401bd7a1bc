/** Cuts a stream of bytes into stretches of known length. */
export class Frames {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>
  /** What arrived and was not asked for yet. */
  #rest = new Uint8Array(0)

  constructor(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>) {
    this.#reader = reader
  }

  /**
   * The next `length` bytes in a buffer of their own, each copied once; null at the end of the stream. Throws a TypeError if it ends in the
   * middle of them, and what the stream throws.
   */
  async take(length: number): Promise<ArrayBuffer | null> {
    const taken = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#reader.read()
        if (done && filled === 0) return null
        if (done) throw new TypeError('the answer ends early')
        this.#rest = value
      }
      const piece = this.#rest.subarray(0, length - filled)
      taken.set(piece, filled)
      filled += piece.length
      this.#rest = this.#rest.subarray(piece.length)
    }
    return taken.buffer
  }
}
