import { AppError } from '../../shared/errors.ts'
import { ENTRY_NAME_PATTERN } from '../../shared/recordings/recording.ts'
import type { Sum } from '../core/recordings/seal.ts'
import { assertWithinLimit } from './limits.ts'
import { createDamagedError, createRecordingError, createTooLargeError } from './recording-error.ts'
import { findDirectory, readDirectory, type ByteSource, type DirectoryEntry } from './zip-directory.ts'
import { LOCAL_HEADER_BYTES, LOCAL_HEADER_SIGNATURE, type DirectoryPlace, type ZipEntry } from './zip-records.ts'

const STORED = 0
const DEFLATED = 8
const ENCRYPTED_FLAG = 1
/** Entries above this size may not expand as bombs do, by hundreds of times. */
const MAX_UNCHECKED_BYTES = 200_000_000
const MAX_LARGE_RATIO = 200

/** Functions with which Node.js (zip-file.ts) or a browser (recording-page) reads a zip file. */
export interface ZipPlatform {
  readonly source: ByteSource
  readonly fileBytes: number
  /**
   * The decompressed bytes of an entry, as they are in the file.
   * @param changeEnd gets the last of the compressed bytes, and may change them
   * @throws what the decompression throws, and RECORDING_ENTRY_DAMAGED
   */
  decode(entry: ZipEntry, changeEnd?: (last: Buffer) => void): AsyncGenerator<Buffer>
  /** CRC-32 of these bytes after those of the sum. */
  addToCrc(bytes: Uint8Array, sum: number): number
  /** Begins a SHA-256. */
  createSum(): Sum
  close(): Promise<void>
}

/**
 * Reads the entries of a zip file that anybody may have made. The directory is checked at once:
 * names, doubles, overlapping entries. The bytes of an entry are counted and summed up as they are
 * read.
 */
export interface ZipReader extends DirectoryPlace {
  readonly platform: ZipPlatform
  /** Sorted as in the ZIP directory. */
  readonly entries: ReadonlyMap<string, ZipEntry>
  /** @throws RECORDING_ENTRY_MISSING, RECORDING_ENTRY_DAMAGED, RECORDING_ENTRY_TOO_LARGE */
  read(name: string): AsyncGenerator<Buffer>
  /** @throws also RECORDING_ENTRY_TOO_LARGE if the entry has more bytes than `maxBytes` */
  readWhole(name: string, maxBytes: number): Promise<Buffer>
  close(): Promise<void>
}

/** @throws RECORDING_NOT_A_RECORDING, RECORDING_TRUNCATED, RECORDING_ENTRY_NAME */
export async function readZip(platform: ZipPlatform): Promise<ZipReader> {
  const { source, fileBytes } = platform
  const place = await findDirectory(source, fileBytes)
  assertWithinLimit('entries', place.count)
  const entries = new Map<string, ZipEntry>()
  let bytes = 0
  for await (const entry of readDirectory(source, place)) {
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
    platform,
    entries,
    ...place,
    read: (name) => readChecked(platform, find(name)),
    async readWhole(name, maxBytes) {
      const entry = find(name)
      if (entry.size > maxBytes) throw createTooLargeError(name, maxBytes)
      const chunks: Buffer[] = []
      for await (const chunk of readChecked(platform, entry)) chunks.push(chunk)
      const [only = Buffer.alloc(0)] = chunks
      return chunks.length > 1 ? Buffer.concat(chunks) : only
    },
    close: () => platform.close(),
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

/** @throws RECORDING_ENTRY_TOO_LARGE for more than the directory says, RECORDING_ENTRY_DAMAGED */
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

async function* readChecked(platform: ZipPlatform, entry: ZipEntry): AsyncGenerator<Buffer> {
  let bytes = 0
  let sum = 0
  try {
    for await (const chunk of platform.decode(entry)) {
      bytes += chunk.length
      if (bytes > entry.size) throw createTooLargeError(entry.name, entry.size)
      sum = platform.addToCrc(chunk, sum)
      yield chunk
    }
  } catch (error) {
    throw toRecordingError(error, () => createCompressionError(entry))
  }
  assertWhole(entry, bytes, sum)
}

export function assertWhole({ name, size, crc }: ZipEntry, bytes: number, sum: number): void {
  if (bytes !== size) throw createDamagedError(name, `it has ${bytes} bytes instead of ${size}`)
  if (sum !== crc) throw createDamagedError(name, 'its checksum differs')
}

/** @returns how far after its header the data of an entry begins */
export function getDataOffset(header: Buffer, bytesRead: number, { name }: ZipEntry): number {
  if (bytesRead < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_HEADER_SIGNATURE)
    throw createDamagedError(name, 'its header is missing')
  return LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
}

/**
 * True if bits are set in the last byte of an entry behind the end of its compressed data. They
 * mean nothing, and no compressor sets them: the entry is the same without the highest bit.
 */
export async function hasMeaninglessBits(platform: ZipPlatform, entry: ZipEntry): Promise<boolean> {
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
    for await (const chunk of platform.decode(entry, clearLastBit)) {
      bytes += chunk.length
      if (bytes > entry.size) return false
      sum = platform.addToCrc(chunk, sum)
    }
  } catch {
    // It is damaged otherwise, or the bit had a meaning.
    return false
  }
  return isCleared && bytes === entry.size && sum === entry.crc
}

export function createCompressionError({ name }: ZipEntry): AppError {
  return createDamagedError(name, 'its compressed bytes make no sense')
}
export function createEndError({ name }: ZipEntry): AppError {
  return createDamagedError(name, 'its end is not where it was')
}

/** An error that says nothing about the recording, such as one of the disk, passes unchanged. */
export function toRecordingError(error: unknown, create: () => AppError): unknown {
  if (error instanceof AppError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code === '' || code.startsWith('Z_') || code.startsWith('ERR_') ? create() : error
}
