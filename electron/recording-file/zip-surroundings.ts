import { hasMeaninglessBits, type ZipEntry, type ZipReader } from './zip-reader.ts'

// Sizes and signatures of the zip format (APPNOTE 6.3.10).
const LOCAL_HEADER_BYTES = 30
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

/**
 * Checks the bytes that reading does not use: headers, what is between the entries, the directory
 * and the end of the file. Each of them follows from the entries, if this program wrote the file.
 */
export async function findChangedSurroundings(zip: ZipReader): Promise<{ entry: string; reason: string }[]> {
  const problems: { entry: string; reason: string }[] = []
  const sorted = [...zip.entries.values()].sort((first, second) => first.headerOffset - second.headerOffset)
  for (const [index, entry] of sorted.entries()) {
    const end = sorted[index + 1]?.headerOffset ?? zip.directoryStart
    const reason = await checkEntry(zip, entry, index === 0 ? 0 : entry.headerOffset, end)
    if (reason !== null) problems.push({ entry: entry.name, reason })
  }
  const directory = await readBytes(zip, zip.directoryStart, zip.directoryEnd - zip.directoryStart)
  let offset = 0
  for (const entry of zip.entries.values()) {
    const record = getDirectoryRecord(entry)
    if (!directory.subarray(offset, offset + record.length).equals(record))
      problems.push({ entry: entry.name, reason: 'its record in the directory was changed' })
    offset += record.length
  }
  const endReason = await checkEnd(zip)
  if (endReason !== null) problems.push({ entry: 'the end of the file', reason: endReason })
  return problems
}

function getDirectoryRecord({
  name,
  flags,
  isDeflated,
  time,
  crc,
  compressedSize,
  size,
  headerOffset,
}: ZipEntry): Buffer {
  const isLarge = Math.max(compressedSize, size, headerOffset) >= MAX_SIZE_BYTES
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

async function checkEntry(zip: ZipReader, entry: ZipEntry, expectedStart: number, end: number): Promise<string | null> {
  if (entry.headerOffset !== expectedStart) return 'there are bytes in front of it'
  const header = await readBytes(zip, entry.headerOffset, LOCAL_HEADER_BYTES + entry.name.length)
  const expected = Buffer.alloc(header.length)
  const hasDescriptor = (entry.flags & DESCRIPTOR_FLAG) !== 0
  expected.writeUInt32LE(0x04034b50, 0)
  expected.writeUInt16LE(VERSION, 4)
  expected.writeUInt16LE(entry.flags, 6)
  expected.writeUInt16LE(entry.isDeflated ? DEFLATED : 0, 8)
  expected.writeUInt16LE(entry.time % 65_536, 10)
  expected.writeUInt16LE(Math.floor(entry.time / 65_536), 12)
  if (!hasDescriptor) {
    expected.writeUInt32LE(entry.crc, 14)
    expected.writeUInt32LE(Math.min(entry.compressedSize, MAX_SIZE_BYTES), 18)
    expected.writeUInt32LE(Math.min(entry.size, MAX_SIZE_BYTES), 22)
  }
  expected.writeUInt16LE(entry.name.length, 26)
  expected.write(entry.name, LOCAL_HEADER_BYTES, 'latin1')
  if (!header.equals(expected)) return 'its header was changed'
  if (await hasMeaninglessBits(zip.handle, entry)) return 'its last byte was changed'
  const dataEnd = entry.headerOffset + header.length + entry.compressedSize
  const tail = await readBytes(zip, dataEnd, end - dataEnd)
  if (!hasDescriptor) return tail.length === 0 ? null : 'there are bytes after it'
  return [getDescriptor(entry, false), getDescriptor(entry, true)].some((descriptor) => descriptor.equals(tail))
    ? null
    : 'its descriptor was changed'
}

function getDescriptor({ crc, compressedSize, size }: ZipEntry, isLarge: boolean): Buffer {
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

/** The end repeats where the directory is and how many entries it has. */
async function checkEnd(zip: ZipReader): Promise<string | null> {
  const { directoryStart, directoryEnd, fileBytes } = zip
  const tail = await readBytes(zip, directoryEnd, Math.min(fileBytes - directoryEnd, 1_024))
  const count = zip.entries.size
  const bytes = directoryEnd - directoryStart
  const isLarge = count >= 0xffff || bytes >= MAX_SIZE_BYTES || directoryStart >= MAX_SIZE_BYTES
  const expected = Buffer.alloc(isLarge ? LARGE_END_BYTES + LOCATOR_BYTES + END_BYTES : END_BYTES)
  if (isLarge) writeLargeEnd(expected, { count, bytes, directoryStart, directoryEnd })
  const end = expected.length - END_BYTES
  expected.writeUInt32LE(END_SIGNATURE, end)
  expected.writeUInt16LE(Math.min(count, 0xffff), end + 8)
  expected.writeUInt16LE(Math.min(count, 0xffff), end + 10)
  expected.writeUInt32LE(Math.min(bytes, MAX_SIZE_BYTES), end + 12)
  expected.writeUInt32LE(Math.min(directoryStart, MAX_SIZE_BYTES), end + 16)
  return tail.equals(expected) ? null : 'it was changed'
}

function writeLargeEnd(
  target: Buffer,
  place: { count: number; bytes: number; directoryStart: number; directoryEnd: number },
): void {
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

async function readBytes(zip: ZipReader, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.max(0, length))
  const { bytesRead } = await zip.handle.read(bytes, 0, bytes.length, position)
  return bytes.subarray(0, bytesRead)
}
