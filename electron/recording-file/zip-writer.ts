import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { crc32, createDeflateRaw, deflateRaw } from 'node:zlib'
import { passPieces, type EntryContent } from './pieces.ts'
import { FILE_MODE, writeWhole } from './whole-file.ts'
import {
  getDescriptor,
  getDirectoryRecord,
  getEnd,
  getLocalHeader,
  needsLargeFields,
  WRITTEN_FLAGS,
  type ZipEntry,
} from './zip-records.ts'

const BUFFERED_BYTES = 1_048_576
/** A larger entry is written before the next one is made, so that only one is in memory. */
const MAX_WAITING_BYTES = 1_048_576

const deflateWhole = promisify(deflateRaw)

/**
 * Writes a zip file entry by entry. A library is not used: yazl keeps 11 KB of each entry until the
 * end, looks through all entries for each of them, and sends each through five streams.
 */
export class ZipWriter {
  readonly #target: WriteStream
  readonly #time: number
  readonly #entries: ZipEntry[] = []
  #position = 0
  /** Settles when the last entry is written. */
  #adding: Promise<void> = Promise.resolve()

  private constructor(target: WriteStream, time: Date) {
    this.#target = target
    this.#time = toZipTime(time)
  }

  /** No file remains if `work` throws. @throws SAVE_FAILED if the disk refuses it */
  static write<T>(
    file: string,
    time: Date,
    temporaryDir: string | undefined,
    work: (zip: ZipWriter) => Promise<T>,
  ): Promise<T> {
    return writeWhole(file, temporaryDir, async (temporary) => {
      const target = createWriteStream(temporary, {
        flags: 'wx',
        mode: FILE_MODE,
        flush: true,
        highWaterMark: BUFFERED_BYTES,
      })
      const closed = finished(target)
      // The next write throws the error; here it must only not count as unhandled.
      closed.catch(() => undefined)
      try {
        const writer = new ZipWriter(target, time)
        const result = await work(writer)
        await writer.#writeDirectory()
        target.end()
        await closed
        return result
      } catch (error) {
        const failure: unknown = target.errored ?? error
        target.destroy()
        await closed.catch(() => undefined)
        throw failure
      }
    })
  }

  /** Adds an entry, one at a time. Its bytes must not change: they may be compressed later. */
  async add(name: string, content: EntryContent, isCompressed: boolean): Promise<void> {
    const isWhole = content instanceof Uint8Array
    const compressed = isWhole && isCompressed ? deflateWhole(content) : null
    // The next `add` awaits `#adding` and throws; here it must only not count as unhandled.
    compressed?.catch(() => undefined)
    await this.#adding
    this.#adding = this.#addEntry(name, content, isCompressed, compressed)
    this.#adding.catch(() => undefined)
    if (!isWhole || content.length > MAX_WAITING_BYTES) await this.#adding
  }

  async #addEntry(
    name: string,
    content: EntryContent,
    isCompressed: boolean,
    compressed: Promise<Buffer> | null,
  ): Promise<void> {
    const entry = {
      name,
      size: 0,
      compressedSize: 0,
      crc: 0,
      headerOffset: this.#position,
      flags: WRITTEN_FLAGS,
      isDeflated: isCompressed,
      time: this.#time,
    }
    await this.#write(getLocalHeader(entry))
    const start = this.#position
    const count = (chunk: Uint8Array): void => {
      entry.size += chunk.length
      entry.crc = crc32(chunk, entry.crc)
    }
    if (content instanceof Uint8Array) {
      count(content)
      await this.#write(compressed ? await compressed : content)
    } else {
      const counted = passPieces(content, count)
      for await (const chunk of isCompressed ? deflate(counted) : counted) await this.#write(chunk)
    }
    entry.compressedSize = this.#position - start
    this.#entries.push(entry)
    const { compressedSize, size } = entry
    await this.#write(getDescriptor(entry, needsLargeFields(compressedSize, size)))
  }

  async #writeDirectory(): Promise<void> {
    await this.#adding
    const directoryStart = this.#position
    for (const entry of this.#entries) await this.#write(getDirectoryRecord(entry))
    await this.#write(getEnd({ count: this.#entries.length, directoryStart, directoryEnd: this.#position }))
  }

  async #write(bytes: Uint8Array): Promise<void> {
    // After an error nothing drains any more.
    if (this.#target.errored) throw this.#target.errored
    this.#position += bytes.length
    if (!this.#target.write(bytes)) await once(this.#target, 'drain')
  }
}

async function* deflate(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = createDeflateRaw()
  const passed = pipeline(Readable.from(chunks, { objectMode: false }), stream)
  // An error of the source ends the stream as well.
  passed.catch(() => undefined)
  yield* stream as AsyncIterable<Buffer>
  await passed
}

/** The local date above the time of day, in steps of two seconds. */
function toZipTime(time: Date): number {
  const date = ((time.getFullYear() - 1980) << 9) | ((time.getMonth() + 1) << 5) | time.getDate()
  return date * 65_536 + ((time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1))
}
