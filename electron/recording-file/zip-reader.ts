import type { FileHandle } from 'node:fs/promises'
import { readSync } from 'node:fs'
import { pipeline } from 'node:stream'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { AppError } from '../../shared/errors.ts'
import { ENTRY_NAME_PATTERN } from '../../shared/recordings/recording.ts'
import { assertWithinLimit } from './limits.ts'
import { openFile } from './open-file.ts'
import { createDamagedError, createRecordingError, createTooLargeError } from './recording-error.ts'
import { findDirectory, readDirectory, type DirectoryEntry } from './zip-directory.ts'
import { LOCAL_HEADER_BYTES, LOCAL_HEADER_SIGNATURE, type DirectoryPlace, type ZipEntry } from './zip-records.ts'

const STORED = 0
const DEFLATED = 8
const ENCRYPTED_FLAG = 1
/** Entries above this size may not expand as bombs do, by hundreds of times. */
const MAX_UNCHECKED_BYTES = 200_000_000
const MAX_LARGE_RATIO = 200
const CHUNK_BYTES = 131_072
/** A smaller entry is read and decompressed at once: the trips to other threads take longer. */
const MAX_SMALL_BYTES = 131_072
/** Room for what other programs write between the header of an entry and its data. */
const EXTRA_BYTES = 64

/**
 * Reads the entries of a zip file that anybody may have made. The directory is checked at once:
 * names, doubles, overlapping entries. The bytes of an entry are counted and summed up as they are
 * read.
 */
export interface ZipReader extends DirectoryPlace {
  readonly handle: FileHandle
  readonly fileBytes: number
  /** In the order of the directory. */
  readonly entries: ReadonlyMap<string, ZipEntry>
  /** @throws RECORDING_ENTRY_MISSING, RECORDING_ENTRY_DAMAGED, RECORDING_ENTRY_TOO_LARGE */
  read(name: string): AsyncGenerator<Buffer>
  /** @throws also RECORDING_ENTRY_TOO_LARGE if the entry has more bytes than `maxBytes` */
  readWhole(name: string, maxBytes: number): Promise<Buffer>
  close(): Promise<void>
}

/**
 * @throws RECORDING_UNREADABLE, RECORDING_NOT_A_RECORDING, RECORDING_TRUNCATED,
 *   RECORDING_ENTRY_NAME
 */
export async function openZip(file: string): Promise<ZipReader> {
  const handle = await openFile(file)
  try {
    return await readZip(handle)
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function readZip(handle: FileHandle): Promise<ZipReader> {
  const { size: fileBytes } = await handle.stat()
  const place = await findDirectory(handle, fileBytes)
  assertWithinLimit('entries', place.count)
  const entries = new Map<string, ZipEntry>()
  let bytes = 0
  for await (const entry of readDirectory(handle, place)) {
    checkEntry(entry, entries)
    entries.set(entry.name, entry)
    bytes += entry.size
    assertWithinLimit('bytes', bytes)
  }
  checkRanges(entries, place.directoryStart)

  const find = (name: string): ZipEntry => {
    const entry = entries.get(name)
    if (entry) return entry
    throw createRecordingError('RECORDING_ENTRY_MISSING', `The file has no ${name}.`, { entry: name })
  }
  return {
    handle,
    fileBytes,
    entries,
    ...place,
    read: (name) => readChecked(handle, find(name)),
    async readWhole(name, maxBytes) {
      const entry = find(name)
      if (entry.size > maxBytes) throw createTooLargeError(name, maxBytes)
      const chunks: Buffer[] = []
      for await (const chunk of readChecked(handle, entry)) chunks.push(chunk)
      const [only = Buffer.alloc(0)] = chunks
      return chunks.length > 1 ? Buffer.concat(chunks) : only
    },
    close: () => handle.close(),
  }
}

function checkEntry(entry: DirectoryEntry, entries: ReadonlyMap<string, ZipEntry>): void {
  const { name, flags, method, compressedSize, size } = entry
  if (entries.has(name))
    throw createRecordingError('RECORDING_ENTRY_NAME', `The file has two entries named ${name}.`, { entry: name })
  if (!ENTRY_NAME_PATTERN.test(name)) {
    const quoted = JSON.stringify(name.slice(0, 200))
    const message = `The name ${quoted} of an entry is not one that a recording has.`
    throw createRecordingError('RECORDING_ENTRY_NAME', message, { entry: quoted })
  }
  if ((flags & ENCRYPTED_FLAG) !== 0 || (method !== STORED && method !== DEFLATED))
    throw createDamagedError(name, 'it is encrypted, or compressed in an unknown way')
  if (method === STORED && compressedSize !== size) throw createDamagedError(name, 'its sizes differ')
  if (size > MAX_UNCHECKED_BYTES && size > compressedSize * MAX_LARGE_RATIO)
    throw createTooLargeError(name, MAX_UNCHECKED_BYTES)
}

/** Deflate expands bytes at most a thousand times, so that fewer bytes become a few MB at most. */
const MIN_BOMB_BYTES = 16_384

/**
 * Reads through every entry that may hold far more bytes than the directory declares.
 * @throws RECORDING_ENTRY_TOO_LARGE, RECORDING_ENTRY_DAMAGED
 */
export async function checkExpansion({ entries, read }: Pick<ZipReader, 'entries' | 'read'>): Promise<void> {
  for (const { name, isDeflated, compressedSize } of entries.values()) {
    if (!isDeflated || compressedSize < MIN_BOMB_BYTES) continue
    const chunks = read(name)
    while ((await chunks.next()).done !== true);
  }
}

/** Entries that share bytes are how a small file expands without end. */
function checkRanges(entries: ReadonlyMap<string, ZipEntry>, directoryStart: number): void {
  const sorted = [...entries.values()].sort((first, second) => first.headerOffset - second.headerOffset)
  for (const [index, { name, headerOffset, compressedSize }] of sorted.entries()) {
    const end = sorted[index + 1]?.headerOffset ?? directoryStart
    if (headerOffset + LOCAL_HEADER_BYTES + name.length + compressedSize > end)
      throw createDamagedError(name, 'it overlaps what follows')
  }
}

async function* readChecked(handle: FileHandle, entry: ZipEntry): AsyncGenerator<Buffer> {
  let bytes = 0
  let sum = 0
  try {
    for await (const chunk of decode(handle, entry)) {
      bytes += chunk.length
      if (bytes > entry.size) throw createTooLargeError(entry.name, entry.size)
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (error) {
    throw toRecordingError(error, () => createCompressionError(entry))
  }
  assertWhole(entry, bytes, sum)
}

function assertWhole({ name, size, crc }: ZipEntry, bytes: number, sum: number): void {
  if (bytes !== size) throw createDamagedError(name, `it has ${bytes} bytes instead of ${size}`)
  if (sum !== crc) throw createDamagedError(name, 'its checksum differs')
}

/** An entry of a file that another thread has open. */
export interface EntryPlace {
  readonly fd: number
  readonly entry: ZipEntry
}

/**
 * Reads an entry in a thread that does nothing else meanwhile.
 * @throws RECORDING_ENTRY_DAMAGED, RECORDING_ENTRY_TOO_LARGE
 */
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

/** @returns how far after its header the data of an entry begins */
function getDataOffset(header: Buffer, bytesRead: number, { name }: ZipEntry): number {
  if (bytesRead < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER_SIGNATURE)
    throw createDamagedError(name, 'its header is missing')
  return LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
}

/**
 * True if bits are set in the last byte of an entry behind the end of its compressed data. They
 * mean nothing, and no compressor sets them: the entry is the same without the highest bit.
 */
export async function hasMeaninglessBits(handle: FileHandle, entry: ZipEntry): Promise<boolean> {
  if (!entry.isDeflated || entry.compressedSize === 0) return false
  let bytes = 0
  let sum = 0
  let isCleared = false
  const clearLastBit = (last: Buffer): void => {
    const byte = last.at(-1) ?? 0
    isCleared = byte !== 0
    if (isCleared) last[last.length - 1] = byte & ~(0x80 >> (Math.clz32(byte) - 24))
  }
  try {
    for await (const chunk of decode(handle, entry, clearLastBit)) {
      bytes += chunk.length
      if (bytes > entry.size) return false
      sum = crc32(chunk, sum)
    }
  } catch {
    // It is damaged otherwise, or the bit had a meaning.
    return false
  }
  return isCleared && bytes === entry.size && sum === entry.crc
}

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

const createCompressionError = ({ name }: ZipEntry): AppError =>
  createDamagedError(name, 'its compressed bytes make no sense')
const createEndError = ({ name }: ZipEntry): AppError => createDamagedError(name, 'its end is not where it was')

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

/** An error that says nothing about the recording, such as one of the disk, passes unchanged. */
function toRecordingError(error: unknown, create: () => AppError): unknown {
  if (error instanceof AppError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code === '' || code.startsWith('Z_') || code.startsWith('ERR_') ? create() : error
}
