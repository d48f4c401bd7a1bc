import zlib from 'node:zlib'
import { findBodyEncoding } from '../../../../shared/traffic/body-text.ts'
import { readEntrySync, type EntryPlace } from '../../../recording-file/zip-file.ts'
import type { Database } from '../../journal/database.ts'
import { parseKeptBody } from './exchange-rows.ts'

/** Values of the column `coding`: how the bytes of a part are stored. */
const CODING_PLAIN = 0
const CODING_ZSTD = 1
const CODING_DEFLATE = 2
/** The bytes name the place of the body in the recording that the database was made for. */
const CODING_PLACE = 3

/** Zstandard is missing in Node before 22.15 and Electron before 36. */
const hasZstd = typeof zlib.zstdCompressSync === 'function'
const ZSTD_PARAMS = { [zlib.constants.ZSTD_c_compressionLevel]: 1 }

/** Stored as they are if compression saves less than a tenth, like those of pictures. */
const MAX_COMPRESSED_RATIO = 0.9
const MIN_COMPRESSED_BYTES = 64
/** JSON is seldom compressed better. */
const EXPECTED_RATIO = 8
const MAX_CHUNK_BYTES = 65_536

interface EncodedPart {
  readonly coding: number
  readonly bytes: Uint8Array
}

/** Compresses bytes where that saves something. */
export function encodePart(bytes: Uint8Array): EncodedPart {
  if (bytes.byteLength < MIN_COMPRESSED_BYTES) return { coding: CODING_PLAIN, bytes }
  const options = chooseChunks(bytes.byteLength)
  const compressed = hasZstd
    ? zlib.zstdCompressSync(bytes, { params: ZSTD_PARAMS, ...options })
    : zlib.deflateRawSync(bytes, { level: 1, ...options })
  if (compressed.byteLength > bytes.byteLength * MAX_COMPRESSED_RATIO) return { coding: CODING_PLAIN, bytes }
  return { coding: hasZstd ? CODING_ZSTD : CODING_DEFLATE, bytes: compressed }
}

/** Throws for a coding of a different runtime that this runtime does not support. */
export function decodePart({ coding, bytes }: EncodedPart): Uint8Array {
  const options = chooseChunks(bytes.byteLength * EXPECTED_RATIO)
  if (coding === CODING_ZSTD) return zlib.zstdDecompressSync(bytes, options)
  return coding === CODING_DEFLATE ? zlib.inflateRawSync(bytes, options) : bytes
}

/** A result keeps the memory of its whole chunk, which is 16 KB by default. */
const chooseChunks = (expectedBytes: number): Pick<zlib.ZlibOptions, 'chunkSize'> => ({
  chunkSize: Math.min(Math.max(expectedBytes, MIN_COMPRESSED_BYTES), MAX_CHUNK_BYTES),
})

/** Parts in which bodies are stored, so that a range is read without the whole body. */
export const BODY_PART_BYTES = 1024 * 1024

/** A text in another encoding than UTF-8 is read from the start of a line, if it is this near. */
const MAX_LINE_BYTES = 4_096
const LINE_FEED = 10
/** Enough to find the encoding. */
const MAX_HEAD_BYTES = 1_024

/** Stores bodies by the hash of their bytes, so that equal bodies are stored once. */
export class BodyStore {
  readonly #database: Database
  readonly #selectByHash
  readonly #insertBody
  readonly #insertPart
  readonly #selectPart
  readonly #selectFacts
  /** The body of a recording that was read last, because its parts are read one after the other. */
  #placed: { readonly id: number; readonly bytes: WeakRef<Uint8Array> } | null = null

  constructor(database: Database) {
    this.#database = database
    this.#selectByHash = database.prepare('SELECT id FROM bodies WHERE hash = ?')
    this.#insertBody = database.prepare('INSERT INTO bodies (hash, size, parts, unread) VALUES (?, ?, ?, ?)')
    this.#insertPart = database.prepare('INSERT INTO parts (body, place, coding, bytes) VALUES (?, ?, ?, ?)')
    this.#selectPart = database.prepare('SELECT coding, bytes FROM parts WHERE body = ? AND place = ?')
    this.#selectFacts = database.prepare(
      `SELECT response AS facts FROM details WHERE response_body = ?
       UNION ALL SELECT request FROM details WHERE request_body = ? LIMIT 1`,
    )
  }

  /** Saves in the caller's transaction; indexes with `isText`. With `place`, saves only that. */
  save(bytes: Uint8Array, hash: string, isText: boolean, place?: EntryPlace): number {
    const existingBody = this.#selectByHash.get(hash)
    if (existingBody) return Number(existingBody['id'])
    const parts = Math.ceil(bytes.byteLength / BODY_PART_BYTES)
    const id = Number(this.#insertBody.run(hash, bytes.byteLength, parts, isText ? parts : 0).lastInsertRowid)
    for (let partIndex = 0; partIndex < parts; partIndex += 1) {
      const { coding, bytes: encodedBytes } = place
        ? { coding: CODING_PLACE, bytes: Buffer.from(JSON.stringify(place)) }
        : encodePart(bytes.subarray(partIndex * BODY_PART_BYTES, (partIndex + 1) * BODY_PART_BYTES))
      this.#insertPart.run(id, partIndex, coding, encodedBytes)
    }
    return id
  }

  /** Returns no bytes if there is no such part. */
  readPart(body: number, partIndex: number): Uint8Array {
    const row = this.#selectPart.get(body, partIndex)
    if (!row) return new Uint8Array()
    const part = { coding: Number(row['coding']), bytes: row['bytes'] as Uint8Array }
    return part.coding === CODING_PLACE
      ? this.#readPlaced(body, part.bytes).subarray(partIndex * BODY_PART_BYTES, (partIndex + 1) * BODY_PART_BYTES)
      : decodePart(part)
  }

  #readPlaced(id: number, place: Uint8Array): Uint8Array {
    const lastBytes = this.#placed?.id === id ? this.#placed.bytes.deref() : undefined
    const bytes = lastBytes ?? readEntrySync(JSON.parse(Buffer.from(place).toString()) as EntryPlace)
    this.#placed = { id, bytes: new WeakRef(bytes) }
    return bytes
  }

  /** Reads from `start` to `end` (exclusive), or to the end of the body if it is shorter. */
  readRange(body: number, start: number, end: number): Uint8Array<ArrayBuffer> {
    const pieces: Uint8Array[] = []
    for (let partIndex = Math.floor(start / BODY_PART_BYTES); partIndex * BODY_PART_BYTES < end; partIndex += 1) {
      const partBytes = this.readPart(body, partIndex)
      if (partBytes.byteLength === 0) break
      pieces.push(
        partBytes.subarray(
          Math.max(0, start - partIndex * BODY_PART_BYTES),
          Math.max(0, end - partIndex * BODY_PART_BYTES),
        ),
      )
    }
    const bytes = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0))
    let offset = 0
    for (const piece of pieces) {
      bytes.set(piece, offset)
      offset += piece.byteLength
    }
    return bytes
  }

  /** Returns an empty text if the stored bytes are damaged. */
  readText(body: number, start: number, end: number): string {
    try {
      const encoding = this.#findEncoding(body)
      if (start === 0 || encoding.startsWith('utf-')) return this.#decode(body, start, end, encoding)
      // Within a line, nothing tells where a character of two bytes begins.
      const lineStart = this.readRange(body, start - MAX_LINE_BYTES, start).lastIndexOf(LINE_FEED) + 1
      return this.#decode(body, start - MAX_LINE_BYTES + lineStart, end, encoding)
    } catch {
      return ''
    }
  }

  #decode(body: number, start: number, end: number, encoding: string): string {
    return new TextDecoder(encoding).decode(this.readRange(body, start, end))
  }

  /** The same bytes have the encoding that the first exchange with them declares. */
  #findEncoding(body: number): string {
    const stored = this.#selectFacts.get(body, body)
    return stored === undefined
      ? 'utf-8'
      : findBodyEncoding(this.readRange(body, 0, MAX_HEAD_BYTES), parseKeptBody(stored['facts'])).encoding
  }

  /** Removes those of the bodies that no exchange refers to any more, with their index entries. */
  removeUnused(ids: ReadonlySet<number>): void {
    const selectUse = this.#database.prepare(
      'SELECT 1 FROM details WHERE request_body = ? OR response_body = ? LIMIT 1',
    )
    const selectChunks = this.#database.prepare('SELECT id FROM chunks WHERE body = ?')
    const deletions = ['DELETE FROM chunks WHERE body = ?', 'DELETE FROM bodies WHERE id = ?'].map((sql) =>
      this.#database.prepare(sql),
    )
    const deleteText = this.#database.prepare('DELETE FROM texts WHERE rowid = ?')
    for (const id of ids) {
      if (selectUse.get(id, id)) continue
      for (const { id: chunk } of selectChunks.all(id)) deleteText.run(Number(chunk))
      for (const deletion of deletions) deletion.run(id)
    }
  }
}
