import { readBytes } from './zip-directory.ts'
import { hasMeaninglessBits, type ZipReader } from './zip-reader.ts'
import {
  getDescriptor,
  getDirectoryRecord,
  getEnd,
  getLocalHeader,
  hasDescriptor,
  LOCAL_HEADER_BYTES,
  type ZipEntry,
} from './zip-records.ts'

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
  const directory = await readBytes(zip.platform.source, zip.directoryStart, zip.directoryEnd - zip.directoryStart)
  let offset = 0
  for (const entry of zip.entries.values()) {
    const record = getDirectoryRecord(entry)
    if (!directory.subarray(offset, offset + record.length).equals(record))
      problems.push({ entry: entry.name, reason: 'its record in the directory was changed' })
    offset += record.length
  }
  const { directoryEnd } = zip
  const { fileBytes } = zip.platform
  // The end repeats where the directory is and how many entries it has.
  const tail = await readBytes(zip.platform.source, directoryEnd, Math.min(fileBytes - directoryEnd, 1_024))
  if (!tail.equals(getEnd(zip))) problems.push({ entry: 'the end of the file', reason: 'it was changed' })
  return problems
}

async function checkEntry(zip: ZipReader, entry: ZipEntry, expectedStart: number, end: number): Promise<string | null> {
  if (entry.headerOffset !== expectedStart) return 'there are bytes in front of it'
  const header = await readBytes(zip.platform.source, entry.headerOffset, LOCAL_HEADER_BYTES + entry.name.length)
  if (!header.equals(getLocalHeader(entry))) return 'its header was changed'
  if (await hasMeaninglessBits(zip.platform, entry)) return 'its last byte was changed'
  const dataEnd = entry.headerOffset + header.length + entry.compressedSize
  const tail = await readBytes(zip.platform.source, dataEnd, end - dataEnd)
  if (!hasDescriptor(entry)) return tail.length === 0 ? null : 'there are bytes after it'
  return [getDescriptor(entry, false), getDescriptor(entry, true)].some((descriptor) => descriptor.equals(tail))
    ? null
    : 'its descriptor was changed'
}
