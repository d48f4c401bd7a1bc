import type { Socket } from 'node:net'
import { AppError } from '../../../shared/errors.ts'

const LINE_FEED = 10

/**
 * Reads JSON values from a socket, one per line. Nothing more is read from the socket once the
 * current line is longer than its limit, so that the buffer stays small.
 */
export class JsonLineReader {
  readonly #chunks: AsyncIterator<Buffer>
  /** Doubles when it is full, so that input in single bytes costs no more than whole lines. */
  #buffer = Buffer.alloc(0)
  #length = 0

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  /**
   * Returns the next value; undefined at the end.
   * @param onHeld called with the bytes of the line so far; an exception from it ends the reading.
   * @throws LINE_INVALID when a line is not JSON or longer than `maxBytes`
   */
  async next(maxBytes: number, onHeld?: (bytes: number) => void): Promise<unknown> {
    let searchedBytes = 0
    for (;;) {
      const end = this.#buffer.subarray(0, this.#length).indexOf(LINE_FEED, searchedBytes)
      const lineBytes = end < 0 ? this.#length : end
      onHeld?.(lineBytes)
      if (lineBytes > maxBytes) throw createInvalidLineError()
      if (end >= 0) return this.#takeLine(end)
      searchedBytes = this.#length
      const { done, value } = await this.#chunks.next()
      if (done) return undefined
      this.#append(value)
    }
  }

  async drain(): Promise<void> {
    this.#length = 0
    while (!(await this.#chunks.next()).done);
  }

  #append(chunk: Buffer): void {
    const length = this.#length + chunk.byteLength
    if (length > this.#buffer.byteLength) {
      const grown = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.byteLength))
      this.#buffer.copy(grown, 0, 0, this.#length)
      this.#buffer = grown
    }
    chunk.copy(this.#buffer, this.#length)
    this.#length = length
  }

  #takeLine(end: number): unknown {
    const line = this.#buffer.toString('utf8', 0, end)
    // The rest is copied, because a view would keep the whole buffer in memory.
    this.#buffer = Buffer.from(this.#buffer.subarray(end + 1, this.#length))
    this.#length = this.#buffer.byteLength
    try {
      return JSON.parse(line) as unknown
    } catch {
      throw createInvalidLineError()
    }
  }
}

const createInvalidLineError = (): AppError =>
  new AppError({ kind: 'malformed', code: 'LINE_INVALID', message: 'That is not a line of JSON.', retryable: false })
