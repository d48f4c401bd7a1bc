// Reads a zip file with Node.js; what a reader checks is zip-reader.ts.

import { createHash } from 'node:crypto'
import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { openRecordingFile } from './open-recording-file.ts'
import { createTooLargeError } from './recording-error.ts'
import {
  assertWhole,
  createCompressionError,
  createEndError,
  getDataOffset,
  readZip,
  toRecordingError,
  type ZipPlatform,
  type ZipReader,
} from './zip-reader.ts'
import { LOCAL_HEADER_BYTES, type ZipEntry } from './zip-records.ts'

const CHUNK_BYTES = 131_072
/** A smaller entry is read and decompressed at once: the trips to other threads take longer. */
const MAX_SMALL_BYTES = 131_072
/** Room for what other programs write between the header of an entry and its data. */
const EXTRA_BYTES = 64

export interface ZipFile extends ZipReader {
  /** Threads that read entries themselves use this file descriptor. */
  readonly fd: number
}

/**
 * @throws RECORDING_UNREADABLE, RECORDING_NOT_A_RECORDING, RECORDING_TRUNCATED,
 * RECORDING_ENTRY_NAME
 */
export async function openZip(file: string): Promise<ZipFile> {
  const handle = await openRecordingFile(file)
  try {
    const { size } = await handle.stat()
    return { ...(await readZip(createPlatform(handle, size))), fd: handle.fd }
  } catch (error) {
    await handle.close()
    throw error
  }
}

function createPlatform(handle: FileHandle, fileBytes: number): ZipPlatform {
  return {
    source: handle,
    fileBytes,
    decode: (entry, changeEnd) => decode(handle, entry, changeEnd),
    addToCrc: (bytes, sum) => crc32(bytes, sum),
    createSum: () => createHash('sha256'),
    close: () => handle.close(),
  }
}

/** An entry of a file that another thread has open. */
export interface EntryPlace {
  readonly fd: number
  readonly entry: ZipEntry
}

/** Reads in a thread of its own. @throws RECORDING_ENTRY_DAMAGED, RECORDING_ENTRY_TOO_LARGE */
export function readEntrySync({ fd, entry }: EntryPlace): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(LOCAL_HEADER_BYTES)
  const dataOffset = getDataOffset(header, readSync(fd, header, 0, header.length, entry.headerOffset), entry)
  const isReused = entry.isDeflated && entry.compressedSize <= compressed.length
  const data = isReused ? compressed.subarray(0, entry.compressedSize) : new Uint8Array(entry.compressedSize)
  const bytesRead = readSync(fd, data, 0, data.length, entry.headerOffset + dataOffset)
  try {
    const bytes = entry.isDeflated && bytesRead === data.length ? inflateAtOnce(data, entry) : data
    assertWhole(entry, bytes.length, crc32(bytes))
    return bytes
  } catch (error) {
    throw toRecordingError(error, () => createCompressionError(entry))
  }
}

/** Compressed bytes are read into the same memory: what is dropped stays until it is much. */
const compressed = new Uint8Array(262_144)

async function* decode(
  handle: FileHandle,
  entry: ZipEntry,
  changeEnd?: (last: Buffer) => void,
): AsyncGenerator<Buffer> {
  const isSmall = entry.size <= MAX_SMALL_BYTES && entry.compressedSize <= MAX_SMALL_BYTES
  const expectedBytes = LOCAL_HEADER_BYTES + entry.name.length + EXTRA_BYTES + entry.compressedSize
  const beginning = Buffer.allocUnsafe(isSmall ? expectedBytes : LOCAL_HEADER_BYTES)
  const { bytesRead } = await handle.read(beginning, 0, beginning.length, entry.headerOffset)
  const dataOffset = getDataOffset(beginning, bytesRead, entry)
  if (entry.compressedSize === 0) return
  const dataEnd = dataOffset + entry.compressedSize
  if (dataEnd <= bytesRead) {
    const data = beginning.subarray(dataOffset, dataEnd)
    changeEnd?.(data)
    yield entry.isDeflated ? inflateAtOnce(data, entry) : data
    return
  }
  const raw = readRange(handle, entry.headerOffset + dataOffset, entry.headerOffset + dataEnd, changeEnd)
  if (!entry.isDeflated) {
    yield* raw
    return
  }
  const inflate = createInflateRaw()
  pipeline(raw, inflate, () => undefined)
  yield* inflate as AsyncIterable<Buffer>
  if (inflate.bytesWritten !== entry.compressedSize) throw createEndError(entry)
}

function inflateAtOnce(data: Uint8Array, entry: ZipEntry): Buffer<ArrayBuffer> {
  const limit = { maxOutputLength: Math.max(1, entry.size), chunkSize: Math.max(64, entry.size + 1) }
  try {
    const { buffer, engine } = inflateWithEngine(data, { ...limit, info: true })
    if (engine.bytesWritten !== data.length) throw createEndError(entry)
    return buffer
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooLarge ? createTooLargeError(entry.name, entry.size) : error
  }
}

/** The declarations of Node.js lack what `info` returns. */
const inflateWithEngine = inflateRawSync as unknown as (
  data: Uint8Array,
  options: { readonly maxOutputLength: number; readonly chunkSize: number; readonly info: true },
) => { readonly buffer: Buffer<ArrayBuffer>; readonly engine: { readonly bytesWritten: number } }

async function* readRange(
  handle: FileHandle,
  start: number,
  end: number,
  changeEnd?: (last: Buffer) => void,
): AsyncGenerator<Buffer> {
  for (let position = start; position < end;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - position))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position)
    if (bytesRead === 0) return
    position += bytesRead
    if (position === end) changeEnd?.(chunk.subarray(0, bytesRead))
    yield chunk.subarray(0, bytesRead)
  }
}
