import type { FileHandle } from 'node:fs/promises'
import { openRecordingFile } from './open-recording-file.ts'
import { createInvalidError, createRecordingError, createTooLargeError } from './recording-error.ts'

/** Bytes of the file that are scanned at once; other work gets its turn in between. */
const CHUNK_BYTES = 262_144
const MAX_ENTRY_BYTES = 134_217_728
const MAX_ENTRIES = 500_000
/** The names that lead to the entries are short. */
const MAX_NAME_BYTES = 20

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Windows PowerShell writes UTF-16. */
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** UTF-16 is told by its byte order mark, or by the zero in its first character. */
function findEncoding(start: Buffer): Encoding {
  const [first, second] = start
  if ((first === 0xff && second === 0xfe) || (first === OPEN_OBJECT && second === 0)) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || (first === 0 && second === OPEN_OBJECT) ? 'utf-16be' : 'utf-8'
}

const readStart = async (handle: FileHandle): Promise<Buffer> => {
  const start = Buffer.alloc(64)
  const { bytesRead } = await handle.read(start, 0, start.length, 0)
  return start.subarray(0, bytesRead)
}

/** The entry's JSON text in the file of an HTTP archive. */
interface EntryPlace {
  readonly start: number
  readonly bytes: number
}

/** An open HTTP archive (HAR 1.2). Its entries are read one by one, however large the file is. */
export interface ArchiveFile {
  readonly entryCount: number
  /** @throws RECORDING_ENTRY_INVALID, RECORDING_ENTRY_TOO_LARGE, RECORDING_UNREADABLE */
  readEntry(index: number): Promise<unknown>
  close(): Promise<void>
}

/** JSON, and not a zip. @throws RECORDING_UNREADABLE */
export async function looksLikeArchive(file: string): Promise<boolean> {
  const handle = await openRecordingFile(file)
  try {
    const start = await readStart(handle)
    return new TextDecoder(findEncoding(start)).decode(start).trimStart().startsWith('{')
  } finally {
    await handle.close()
  }
}

/**
 * @throws RECORDING_UNREADABLE, RECORDING_TRUNCATED, RECORDING_NOT_A_RECORDING if the file has no
 *   `log.entries`, RECORDING_ENTRY_TOO_LARGE if there are too many
 */
export async function openArchive(file: string): Promise<ArchiveFile> {
  const handle = await openRecordingFile(file)
  try {
    const encoding = findEncoding(await readStart(handle))
    const places = await findEntries(handle, encoding)
    return {
      entryCount: places.length,
      readEntry: (index) => readEntry(handle, encoding, index, places[index] ?? { start: 0, bytes: 0 }),
      close: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

const getEntryName = (index: number): string => `log.entries[${index}]`

async function readEntry(
  handle: FileHandle,
  encoding: Encoding,
  index: number,
  { start, bytes }: EntryPlace,
): Promise<unknown> {
  if (bytes > MAX_ENTRY_BYTES) throw createTooLargeError(getEntryName(index), MAX_ENTRY_BYTES)
  const text = Buffer.alloc(bytes)
  await handle.read(text, 0, bytes, start)
  try {
    return JSON.parse(encoding === 'utf-8' ? text.toString() : new TextDecoder(encoding).decode(text)) as unknown
  } catch {
    throw createInvalidError(getEntryName(index), 'it is not JSON')
  }
}

async function findEntries(handle: FileHandle, encoding: Encoding): Promise<EntryPlace[]> {
  const scanner = new EntryScanner(encoding === 'utf-8' ? 1 : 2)
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let position = 0; ;) {
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, position)
    if (bytesRead === 0) break
    const bytes = chunk.subarray(0, bytesRead)
    scanner.push(encoding === 'utf-8' ? bytes : toAscii(bytes, encoding))
    position += bytesRead
  }
  return scanner.finish()
}

/** Returns a byte for each unit of UTF-16: brackets and names are ASCII, and all else is 0. */
function toAscii(bytes: Buffer, encoding: Encoding): Uint8Array {
  const lowOffset = encoding === 'utf-16le' ? 0 : 1
  const units = new Uint8Array(bytes.length >> 1)
  for (let index = 0; index < units.length; index += 1)
    units[index] = bytes[index * 2 + 1 - lowOffset] === 0 ? (bytes[index * 2 + lowOffset] ?? 0) : 0
  return units
}

/** Finds the objects in `log.entries` by brackets and strings, without parsing what is in them. */
class EntryScanner {
  readonly #places: EntryPlace[] = []
  readonly #unitBytes: number
  #depth = 0
  #offset = 0
  #isInString = false
  #isEscaped = false
  /** The last string above the entries, which may be a name. */
  #text = ''
  #rootName = ''
  #logName = ''
  #hasEntries = false
  #isInEntries = false
  #start = 0

  constructor(unitBytes: number) {
    this.#unitBytes = unitBytes
  }

  push(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (this.#isInString) this.#pushStringByte(byte)
      else this.#pushByte(byte)
      this.#offset += 1
    }
  }

  finish(): EntryPlace[] {
    if (this.#depth !== 0 || this.#isInString)
      throw createRecordingError('RECORDING_TRUNCATED', 'The end of the HTTP archive is missing.')
    if (!this.#hasEntries)
      throw createRecordingError('RECORDING_NOT_A_RECORDING', 'The file is neither a recording nor an HTTP archive.')
    return this.#places
  }

  #pushStringByte(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInString = false
    else if (this.#depth <= 2 && this.#text.length < MAX_NAME_BYTES) this.#text += String.fromCharCode(byte)
  }

  #pushByte(byte: number): void {
    switch (byte) {
      case QUOTE:
        this.#isInString = true
        if (this.#depth <= 2) this.#text = ''
        return
      case COLON:
        if (this.#depth === 1) this.#rootName = this.#text
        if (this.#depth === 2) this.#logName = this.#text
        return
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        return this.#open(byte)
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        return this.#close()
    }
  }

  #open(byte: number): void {
    this.#depth += 1
    if (this.#depth === 3 && byte === OPEN_ARRAY && this.#rootName === 'log' && this.#logName === 'entries') {
      this.#isInEntries = true
      this.#hasEntries = true
    }
    if (this.#depth === 4 && this.#isInEntries) this.#start = this.#offset
  }

  #close(): void {
    if (this.#depth === 4 && this.#isInEntries) this.#addPlace(this.#offset + 1 - this.#start)
    if (this.#depth === 3) this.#isInEntries = false
    this.#depth -= 1
  }

  #addPlace(units: number): void {
    if (this.#places.length >= MAX_ENTRIES) throw createTooLargeError('log.entries', this.#offset)
    this.#places.push({ start: this.#start * this.#unitBytes, bytes: units * this.#unitBytes })
  }
}
