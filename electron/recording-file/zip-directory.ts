import { createDamagedError, createRecordingError } from './recording-error.ts'
import { LOCAL_HEADER_SIGNATURE, type DirectoryPlace, type ZipEntry } from './zip-records.ts'

// The end and the directory of a zip file that anybody may have made (APPNOTE 6.3.10). Each number
// is compared with the size of the file before it is used.

const END_SIGNATURE = 0x06054b50
const END_BYTES = 22
const MAX_COMMENT_BYTES = 0xffff
const LARGE_LOCATOR_SIGNATURE = 0x07064b50
const LARGE_LOCATOR_BYTES = 20
const LARGE_END_SIGNATURE = 0x06064b50
const LARGE_END_BYTES = 56
const RECORD_SIGNATURE = 0x02014b50
const RECORD_BYTES = 46
const LARGE_FIELD_ID = 1
const IN_LARGE_FIELD = 0xffffffff
const DEFLATED = 8
const BLOCK_BYTES = 1_048_576
const DIRECTORY = 'the directory of the file'

/** A file by its places, as a `FileHandle` of Node.js reads it. */
export interface ByteSource {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>
}

export interface DirectoryEntry extends ZipEntry {
  readonly method: number
}

/** @throws RECORDING_TRUNCATED, RECORDING_NOT_A_RECORDING */
export async function findDirectory(source: ByteSource, fileBytes: number): Promise<DirectoryPlace> {
  const tailStart = Math.max(0, fileBytes - END_BYTES - MAX_COMMENT_BYTES)
  const tail = await readBytes(source, tailStart, fileBytes - tailStart)
  for (let offset = tail.length - END_BYTES; offset >= 0; offset -= 1) {
    const end = tail.subarray(offset)
    if (end.readUInt32LE(0) !== END_SIGNATURE || end.readUInt16LE(20) !== end.length - END_BYTES) continue
    const large = await findLargeEnd(source, tailStart + offset)
    const count = large ? large.readBigUInt64LE(32) : end.readUInt16LE(10)
    const bytes = large ? large.readBigUInt64LE(40) : end.readUInt32LE(12)
    const directoryStart = Number(large ? large.readBigUInt64LE(48) : end.readUInt32LE(16))
    const directoryEnd = directoryStart + Number(bytes)
    if (directoryEnd <= tailStart + offset && Number(count) * RECORD_BYTES <= Number(bytes))
      return { directoryStart, directoryEnd, count: Number(count) }
  }
  const start = await readBytes(source, 0, 4)
  throw start.length === 4 && start.readUInt32LE(0) === LOCAL_HEADER_SIGNATURE
    ? createRecordingError('RECORDING_TRUNCATED', 'The end of the file is missing or damaged.')
    : createRecordingError('RECORDING_NOT_A_RECORDING', 'The file is not a recording of this program.')
}

/** The record before the end of a file with large numbers; null if there is none. */
async function findLargeEnd(source: ByteSource, end: number): Promise<Buffer | null> {
  const locator = await readBytes(source, end - LARGE_LOCATOR_BYTES, LARGE_LOCATOR_BYTES)
  if (locator.length < LARGE_LOCATOR_BYTES || locator.readUInt32LE(0) !== LARGE_LOCATOR_SIGNATURE) return null
  const record = await readBytes(source, Number(locator.readBigUInt64LE(8)), LARGE_END_BYTES)
  return record.length === LARGE_END_BYTES && record.readUInt32LE(0) === LARGE_END_SIGNATURE ? record : null
}

/** @throws RECORDING_ENTRY_DAMAGED */
export async function* readDirectory(
  source: ByteSource,
  { directoryStart, directoryEnd, count }: DirectoryPlace,
): AsyncGenerator<DirectoryEntry> {
  let position = directoryStart
  let rest: Buffer = Buffer.alloc(0)
  let last = DIRECTORY
  const take = async (bytes: number): Promise<Buffer> => {
    if (rest.length < bytes) {
      const block = await readBytes(source, position, Math.min(Math.max(BLOCK_BYTES, bytes), directoryEnd - position))
      position += block.length
      rest = Buffer.concat([rest, block])
    }
    if (rest.length < bytes) throw createDamagedError(last, 'it cannot be read')
    const beginning = rest.subarray(0, bytes)
    rest = rest.subarray(bytes)
    return beginning
  }
  for (let index = 0; index < count; index += 1) {
    const record = await take(RECORD_BYTES)
    if (record.readUInt32LE(0) !== RECORD_SIGNATURE) throw createDamagedError(last, 'it cannot be read')
    const nameBytes = record.readUInt16LE(28)
    const extraBytes = record.readUInt16LE(30)
    const variable = await take(nameBytes + extraBytes + record.readUInt16LE(32))
    const name = variable.toString('latin1', 0, nameBytes)
    last = `${DIRECTORY} after ${name}`
    yield toEntry(name, record, variable.subarray(nameBytes, nameBytes + extraBytes))
  }
  if (rest.length > 0 || position < directoryEnd) throw createDamagedError(last, 'it cannot be read')
}

function toEntry(name: string, record: Buffer, extra: Buffer): DirectoryEntry {
  const large = findLargeField(extra)
  let offset = 0
  const readNumber = (place: number): number => {
    const number = record.readUInt32LE(place)
    if (number !== IN_LARGE_FIELD || large === null) return number
    if (offset + 8 > large.length) throw createDamagedError(name, 'its sizes cannot be read')
    offset += 8
    return Number(large.readBigUInt64LE(offset - 8))
  }
  const method = record.readUInt16LE(10)
  // The large field has the numbers in this order.
  const size = readNumber(24)
  const compressedSize = readNumber(20)
  const headerOffset = readNumber(42)
  return {
    name,
    size,
    compressedSize,
    headerOffset,
    method,
    isDeflated: method === DEFLATED,
    crc: record.readUInt32LE(16),
    flags: record.readUInt16LE(8),
    time: record.readUInt32LE(12),
  }
}

function findLargeField(extra: Buffer): Buffer | null {
  for (let offset = 0; offset + 4 <= extra.length;) {
    const end = offset + 4 + extra.readUInt16LE(offset + 2)
    if (end > extra.length) return null
    if (extra.readUInt16LE(offset) === LARGE_FIELD_ID) return extra.subarray(offset + 4, end)
    offset = end
  }
  return null
}

/** Reads fewer bytes where the file ends, and none at a place that no file has. */
export async function readBytes(source: ByteSource, position: number, length: number): Promise<Buffer> {
  if (length <= 0 || position < 0 || !Number.isSafeInteger(position + length)) return Buffer.alloc(0)
  const bytes = Buffer.allocUnsafe(length)
  let count = 0
  while (count < length) {
    const { bytesRead } = await source.read(bytes, count, length - count, position + count)
    if (bytesRead === 0) break
    count += bytesRead
  }
  return bytes.subarray(0, count)
}
