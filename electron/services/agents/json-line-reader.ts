import type { Socket } from 'node:net'
import { AppError } from '../../../shared/errors.ts'

const LINE_FEED = 10

/** Reads a socket that speaks JSON, one value a line. What is held never outgrows the limit of the line that is read. */
export class JsonLineReader {
  readonly #pieces: AsyncIterator<Buffer>
  /** Grows by doubling, so that a sender of single bytes costs no more than one of whole lines. */
  #buffer = Buffer.alloc(0)
  #length = 0

  constructor(socket: Socket) {
    this.#pieces = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  /**
   * The next value; undefined at the end. `onHeld` is called with the bytes of the line so far, and may throw. Throws `LINE_INVALID` for what
   * is no JSON, or longer than `maxBytes`.
   */
  async next(maxBytes: number, onHeld?: (bytes: number) => void): Promise<unknown> {
    let searched = 0
    for (;;) {
      const end = this.#buffer.subarray(0, this.#length).indexOf(LINE_FEED, searched)
      const lineBytes = end < 0 ? this.#length : end
      onHeld?.(lineBytes)
      if (lineBytes > maxBytes) throw invalid()
      if (end >= 0) return this.#take(end)
      searched = this.#length
      const { done, value } = await this.#pieces.next()
      if (done) return undefined
      this.#append(value)
    }
  }

  /** Reads to the end, and keeps nothing of it. */
  async drain(): Promise<void> {
    this.#length = 0
    while (!(await this.#pieces.next()).done);
  }

  #append(piece: Buffer): void {
    const length = this.#length + piece.byteLength
    if (length > this.#buffer.byteLength) {
      const grown = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.byteLength))
      this.#buffer.copy(grown, 0, 0, this.#length)
      this.#buffer = grown
    }
    piece.copy(this.#buffer, this.#length)
    this.#length = length
  }

  #take(end: number): unknown {
    const line = this.#buffer.toString('utf8', 0, end)
    // A copy: otherwise the rest would keep the whole buffer.
    this.#buffer = Buffer.from(this.#buffer.subarray(end + 1, this.#length))
    this.#length = this.#buffer.byteLength
    try {
      return JSON.parse(line) as unknown
    } catch {
      throw invalid()
    }
  }
}

const invalid = (): AppError =>
  new AppError({ kind: 'malformed', code: 'LINE_INVALID', message: 'That is not a line of JSON.', retryable: false })
