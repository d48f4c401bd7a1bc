import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { AppError } from '../../shared/errors.ts'

/** Only the user may read what was recorded, until the user decides otherwise. */
const FILE_MODE = 0o600
const ENTRY_MODE = 0o100644

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/**
 * Writes a zip file beside its final place, entry by entry, so that a part of a file never has the
 * name of the whole. One chunk of one entry is in memory at a time.
 */
export class ZipWriter {
  readonly #file: string
  readonly #temporary: string
  readonly #zip = new ZipFile()
  readonly #time: Date
  readonly #output: Promise<void>
  readonly #abort = new AbortController()

  private constructor(file: string, temporary: string, time: Date) {
    this.#file = file
    this.#temporary = temporary
    this.#time = time
    const target = createWriteStream(temporary, { flags: 'wx', mode: FILE_MODE, flush: true })
    this.#output = pipeline(this.#zip.outputStream, target, { signal: this.#abort.signal })
    this.#output.catch(() => undefined)
  }

  /**
   * Writes a file with what `work` adds; if that throws, there is no new file.
   * @throws SAVE_FAILED if the disk refuses the file, and what `work` throws
   */
  static async write<T>(file: string, time: Date, work: (zip: ZipWriter) => Promise<T>): Promise<T> {
    const temporary = `${file}.${process.pid}.tmp`
    await rm(temporary, { force: true })
    const writer = new ZipWriter(file, temporary, time)
    try {
      const result = await work(writer)
      await writer.#finish()
      return result
    } catch (error) {
      writer.#abort.abort()
      await writer.#output.catch(() => undefined)
      await rm(temporary, { force: true })
      throw toSaveError(error)
    }
  }

  async add(name: string, chunks: Chunks, isCompressed: boolean): Promise<void> {
    // yazl keeps the function that returns the stream, which must not keep the bytes with it.
    let stream: Readable | null = Readable.from(chunks, { objectMode: false })
    const consumed = finished(stream)
    this.#zip.addReadStreamLazy(
      name,
      { compress: isCompressed, mtime: this.#time, mode: ENTRY_MODE, forceDosTimestamp: true },
      (callback) => callback(null, stream as Readable),
    )
    // The output ends before the entry only if it fails.
    await Promise.race([consumed, this.#output])
    stream = null
  }

  async #finish(): Promise<void> {
    this.#zip.end()
    await this.#output
    await rename(this.#temporary, this.#file)
  }
}

function toSaveError(error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error
  const reason = String(error.code)
  const message = `The file could not be written (${reason}).`
  return new AppError(
    { kind: 'internal', code: 'SAVE_FAILED', message, retryable: true, params: { reason } },
    { cause: error },
  )
}
