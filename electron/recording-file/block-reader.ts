import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import yauzl, { type ZipFile } from 'yauzl'

/** The directory is read in blocks, because yauzl asks for each of its records by itself. */
const BLOCK_BYTES = 1_048_576

class BlockReader extends yauzl.RandomAccessReader {
  readonly #handle: FileHandle
  #block = Buffer.alloc(0)
  #blockStart = 0

  constructor(handle: FileHandle) {
    super()
    this.#handle = handle
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return this.#handle.createReadStream({ start, end: end - 1, autoClose: false })
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    if (this.#copy(buffer, offset, length, position)) {
      callback(null)
      return
    }
    void this.#load(position, length).then(
      () => callback(this.#copy(buffer, offset, length, position) ? null : new Error('unexpected end of file')),
      (error: unknown) => callback(error instanceof Error ? error : new Error('the file cannot be read')),
    )
  }

  #copy(buffer: Buffer, offset: number, length: number, position: number): boolean {
    const start = position - this.#blockStart
    if (start < 0 || start + length > this.#block.length) return false
    this.#block.copy(buffer, offset, start, start + length)
    return true
  }

  async #load(position: number, length: number): Promise<void> {
    const block = Buffer.alloc(Math.max(BLOCK_BYTES, length))
    const { bytesRead } = await this.#handle.read(block, 0, block.length, position)
    this.#block = block.subarray(0, bytesRead)
    this.#blockStart = position
  }
}

/** Opens the directory of a zip file. Names stay bytes, and sizes are checked by who reads. */
export const openDirectory = (handle: FileHandle, fileBytes: number): Promise<ZipFile> =>
  yauzl.fromRandomAccessReaderPromise(new BlockReader(handle), fileBytes, {
    autoClose: false,
    lazyEntries: true,
    decodeStrings: false,
    validateEntrySizes: false,
  })
