// The records of a zip file as this program writes them, and as it expects them where it checks
// that nothing was changed (APPNOTE 6.3.10).

export const LOCAL_HEADER_BYTES = 30
export const LOCAL_HEADER_SIGNATURE = 0x04034b50
const DESCRIPTOR_BYTES = 16
const LARGE_DESCRIPTOR_BYTES = 24
const DESCRIPTOR_SIGNATURE = 0x08074b50
const END_SIGNATURE = 0x06054b50
const LARGE_END_SIGNATURE = 0x06064b50
const END_BYTES = 22
const LOCATOR_BYTES = 20
const LARGE_END_BYTES = 56
const DESCRIPTOR_FLAG = 8
const MAX_SIZE_BYTES = 0xffffffff
const VERSION = 20
const LARGE_VERSION = 45
const MADE_BY = 0x033f
const DEFLATED = 8
/** A regular file that its owner may write and everybody may read. */
const ENTRY_ATTRIBUTES = 0o100644 * 65_536
const DIRECTORY_RECORD_BYTES = 46
const LARGE_FIELD_BYTES = 28

export interface ZipEntry {
  readonly name: string
  /** Number of bytes that the directory declares, which reading enforces. */
  readonly size: number
  readonly compressedSize: number
  readonly crc: number
  readonly isDeflated: boolean
  readonly headerOffset: number
  /** Members of the directory that reading does not use; `time` is the date above the time. */
  readonly flags: number
  readonly time: number
}

/** Names are UTF-8, and sizes follow the data. */
export const WRITTEN_FLAGS = 0x0800 | DESCRIPTOR_FLAG

export function hasDescriptor({ flags }: Pick<ZipEntry, 'flags'>): boolean {
  return (flags & DESCRIPTOR_FLAG) !== 0
}

export function needsLargeFields(...numbers: readonly number[]): boolean {
  return Math.max(...numbers) >= MAX_SIZE_BYTES
}

export function getLocalHeader(entry: ZipEntry): Buffer {
  const header = Buffer.alloc(LOCAL_HEADER_BYTES + entry.name.length)
  header.writeUInt32LE(LOCAL_HEADER_SIGNATURE, 0)
  header.writeUInt16LE(VERSION, 4)
  header.writeUInt16LE(entry.flags, 6)
  header.writeUInt16LE(entry.isDeflated ? DEFLATED : 0, 8)
  header.writeUInt16LE(entry.time % 65_536, 10)
  header.writeUInt16LE(Math.floor(entry.time / 65_536), 12)
  if (!hasDescriptor(entry)) {
    header.writeUInt32LE(entry.crc, 14)
    header.writeUInt32LE(Math.min(entry.compressedSize, MAX_SIZE_BYTES), 18)
    header.writeUInt32LE(Math.min(entry.size, MAX_SIZE_BYTES), 22)
  }
  header.writeUInt16LE(entry.name.length, 26)
  header.write(entry.name, LOCAL_HEADER_BYTES, 'latin1')
  return header
}

export function getDescriptor({ crc, compressedSize, size }: ZipEntry, isLarge: boolean): Buffer {
  const descriptor = Buffer.alloc(isLarge ? LARGE_DESCRIPTOR_BYTES : DESCRIPTOR_BYTES)
  descriptor.writeUInt32LE(DESCRIPTOR_SIGNATURE, 0)
  descriptor.writeUInt32LE(crc, 4)
  if (isLarge) {
    descriptor.writeBigUInt64LE(BigInt(compressedSize), 8)
    descriptor.writeBigUInt64LE(BigInt(size), 16)
  } else {
    descriptor.writeUInt32LE(Math.min(compressedSize, MAX_SIZE_BYTES), 8)
    descriptor.writeUInt32LE(Math.min(size, MAX_SIZE_BYTES), 12)
  }
  return descriptor
}

export function getDirectoryRecord({
  name,
  flags,
  isDeflated,
  time,
  crc,
  compressedSize,
  size,
  headerOffset,
}: ZipEntry): Buffer {
  const isLarge = needsLargeFields(compressedSize, size, headerOffset)
  const record = Buffer.alloc(DIRECTORY_RECORD_BYTES + name.length + (isLarge ? LARGE_FIELD_BYTES : 0))
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE(MADE_BY, 4)
  record.writeUInt16LE(isLarge ? LARGE_VERSION : VERSION, 6)
  record.writeUInt16LE(flags, 8)
  record.writeUInt16LE(isDeflated ? DEFLATED : 0, 10)
  record.writeUInt16LE(time % 65_536, 12)
  record.writeUInt16LE(Math.floor(time / 65_536), 14)
  record.writeUInt32LE(crc, 16)
  record.writeUInt32LE(isLarge ? MAX_SIZE_BYTES : compressedSize, 20)
  record.writeUInt32LE(isLarge ? MAX_SIZE_BYTES : size, 24)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt16LE(isLarge ? LARGE_FIELD_BYTES : 0, 30)
  record.writeUInt32LE(ENTRY_ATTRIBUTES, 38)
  record.writeUInt32LE(isLarge ? MAX_SIZE_BYTES : headerOffset, 42)
  record.write(name, DIRECTORY_RECORD_BYTES, 'latin1')
  if (!isLarge) return record
  const field = DIRECTORY_RECORD_BYTES + name.length
  record.writeUInt16LE(1, field)
  record.writeUInt16LE(LARGE_FIELD_BYTES - 4, field + 2)
  record.writeBigUInt64LE(BigInt(size), field + 4)
  record.writeBigUInt64LE(BigInt(compressedSize), field + 12)
  record.writeBigUInt64LE(BigInt(headerOffset), field + 20)
  return record
}

export interface DirectoryPlace {
  /** Number of entries that the end of the file declares. */
  readonly count: number
  readonly directoryStart: number
  readonly directoryEnd: number
}

export function getEnd({ count, directoryStart, directoryEnd }: DirectoryPlace): Buffer {
  const bytes = directoryEnd - directoryStart
  const isLarge = count >= 0xffff || needsLargeFields(bytes, directoryStart)
  const record = Buffer.alloc(isLarge ? LARGE_END_BYTES + LOCATOR_BYTES + END_BYTES : END_BYTES)
  if (isLarge) writeLargeEnd(record, { count, bytes, directoryStart, directoryEnd })
  const end = record.length - END_BYTES
  record.writeUInt32LE(END_SIGNATURE, end)
  record.writeUInt16LE(Math.min(count, 0xffff), end + 8)
  record.writeUInt16LE(Math.min(count, 0xffff), end + 10)
  record.writeUInt32LE(Math.min(bytes, MAX_SIZE_BYTES), end + 12)
  record.writeUInt32LE(Math.min(directoryStart, MAX_SIZE_BYTES), end + 16)
  return record
}

function writeLargeEnd(target: Buffer, place: DirectoryPlace & { readonly bytes: number }): void {
  target.writeUInt32LE(LARGE_END_SIGNATURE, 0)
  target.writeBigUInt64LE(BigInt(LARGE_END_BYTES - 12), 4)
  target.writeUInt16LE(MADE_BY, 12)
  target.writeUInt16LE(LARGE_VERSION, 14)
  target.writeBigUInt64LE(BigInt(place.count), 24)
  target.writeBigUInt64LE(BigInt(place.count), 32)
  target.writeBigUInt64LE(BigInt(place.bytes), 40)
  target.writeBigUInt64LE(BigInt(place.directoryStart), 48)
  target.writeUInt32LE(0x07064b50, LARGE_END_BYTES)
  target.writeBigUInt64LE(BigInt(place.directoryEnd), LARGE_END_BYTES + 8)
  target.writeUInt32LE(1, LARGE_END_BYTES + 16)
}
