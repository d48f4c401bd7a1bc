type Bytes = Uint8Array<ArrayBuffer>

/** A shorter frame is read together with the bytes after it, and copied. */
const MIN_DIRECT_READ_BYTES = 4096

export class ByteFrameReader {
  /** Reads into our buffers without a copy; null if the stream does not support BYOB readers. */
  readonly #byobReader: ReadableStreamBYOBReader | null
  readonly #read: () => Promise<ReadableStreamReadResult<Bytes>>
  #buffer: Bytes = new Uint8Array(MIN_DIRECT_READ_BYTES)
  /** Bytes that have arrived but were not read so far. */
  #unread: Bytes = new Uint8Array(0)

  constructor(stream: ReadableStream<Bytes>) {
    const direct = tryGetByobReader(stream)
    this.#byobReader = direct
    if (direct) this.#read = () => direct.read(this.#buffer)
    else {
      const defaultReader = stream.getReader()
      this.#read = () => defaultReader.read()
    }
  }

  /**
   * Reads the next `length` bytes into a buffer of their own.
   * @returns null at the end of the stream
   * @throws TypeError when the stream ends within the frame, and what the stream throws.
   */
  async readFrame(length: number): Promise<ArrayBuffer | null> {
    let frame: Bytes = new Uint8Array(length)
    let filled = this.#takeUnread(frame, 0)
    while (filled < length) {
      if (this.#byobReader !== null && length - filled >= MIN_DIRECT_READ_BYTES) {
        const { done, value } = await this.#byobReader.read(frame.subarray(filled))
        if (done) return assertFrameBoundary(filled)
        // Reading detaches the buffer and returns its bytes in a new one.
        frame = new Uint8Array(value.buffer)
        filled += value.length
      } else {
        const chunk = await this.#readChunk()
        if (chunk === null) return assertFrameBoundary(filled)
        this.#unread = chunk
        filled += this.#takeUnread(frame, filled)
      }
    }
    return frame.buffer
  }

  #takeUnread(target: Bytes, offset: number): number {
    const part = this.#unread.subarray(0, target.length - offset)
    target.set(part, offset)
    this.#unread = this.#unread.subarray(part.length)
    return part.length
  }

  async #readChunk(): Promise<Bytes | null> {
    const { done, value } = await this.#read()
    if (this.#byobReader !== null && value !== undefined) this.#buffer = new Uint8Array(value.buffer)
    return done ? null : value
  }
}

/** Returns a BYOB reader, which only byte streams have; null for other streams. */
function tryGetByobReader(stream: ReadableStream<Bytes>): ReadableStreamBYOBReader | null {
  try {
    return stream.getReader({ mode: 'byob' })
  } catch {
    return null
  }
}

function assertFrameBoundary(filled: number): null {
  if (filled > 0) throw new TypeError('the answer ends early')
  return null
}
