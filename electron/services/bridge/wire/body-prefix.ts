const INITIAL_BUFFER_BYTES = 16 * 1024

/**
 * The first bytes of a body that passes through. They are copied, because the pieces belong to the
 * reader. `expectedBytes` is the announced size of the body, 0 if unknown.
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
