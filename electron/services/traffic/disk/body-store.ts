import zlib from 'node:zlib'
import type { Database } from '../../journal/database.ts'

/** How a part of a body is stored. */
const PLAIN = 0
const ZSTD = 1
const DEFLATE = 2

/** Not in every runtime (Node 22.15, Electron 36). */
const zstd = typeof zlib.zstdCompressSync === 'function'
const level = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } }

/** Bytes that gain little are stored as they are: pictures are compressed already. */
const WORTH = 0.9
const SMALLEST = 64

interface Coded {
  readonly coding: number
  readonly bytes: Uint8Array
}

function encode(bytes: Uint8Array): Coded {
  if (bytes.byteLength < SMALLEST) return { coding: PLAIN, bytes }
  const packed = zstd ? zlib.zstdCompressSync(bytes, level) : zlib.deflateRawSync(bytes, { level: 1 })
  if (packed.byteLength > bytes.byteLength * WORTH) return { coding: PLAIN, bytes }
  return { coding: zstd ? ZSTD : DEFLATE, bytes: packed }
}

/** Throws for a coding that this runtime lacks: another one wrote it. */
function decode({ coding, bytes }: Coded): Uint8Array {
  if (coding === ZSTD) return zlib.zstdDecompressSync(bytes)
  return coding === DEFLATE ? zlib.inflateRawSync(bytes) : bytes
}

/**
 * Bodies are stored in parts of this many bytes, so that any range can be read without the rest.
 */
export const PART_BYTES = 1024 * 1024

/** Bodies by the hash of their bytes: equal ones are kept once. */
export class BodyStore {
  readonly #database: Database
  readonly #find
  readonly #insert
  readonly #addPart
  readonly #part

  constructor(database: Database) {
    this.#database = database
    this.#find = database.prepare('SELECT id FROM bodies WHERE hash = ?')
    this.#insert = database.prepare('INSERT INTO bodies (hash, size, parts, unread) VALUES (?, ?, ?, ?)')
    this.#addPart = database.prepare('INSERT INTO parts (body, place, coding, bytes) VALUES (?, ?, ?, ?)')
    this.#part = database.prepare('SELECT coding, bytes FROM parts WHERE body = ? AND place = ?')
  }

  /** Saves a body inside the caller's transaction; returns its id. `isText` bodies are searched. */
  save(bytes: Uint8Array, hash: string, isText: boolean): number {
    const known = this.#find.get(hash)
    if (known) return Number(known['id'])
    const parts = Math.ceil(bytes.byteLength / PART_BYTES)
    const id = Number(this.#insert.run(hash, bytes.byteLength, parts, isText ? parts : 0).lastInsertRowid)
    for (let place = 0; place < parts; place += 1) {
      const { coding, bytes: packed } = encode(bytes.subarray(place * PART_BYTES, (place + 1) * PART_BYTES))
      this.#addPart.run(id, place, coding, packed)
    }
    return id
  }

  /** Bytes of one part; none if there is no such part. */
  readPart(body: number, place: number): Uint8Array {
    const row = this.#part.get(body, place)
    return row ? decode({ coding: Number(row['coding']), bytes: row['bytes'] as Uint8Array }) : new Uint8Array()
  }

  /** Bytes `start` to `end`, exclusive. */
  readRange(body: number, start: number, end: number): Uint8Array<ArrayBuffer> {
    const pieces: Uint8Array[] = []
    for (let place = Math.floor(start / PART_BYTES); place * PART_BYTES < end; place += 1) {
      const bytes = this.readPart(body, place)
      if (bytes.byteLength === 0) break
      pieces.push(bytes.subarray(Math.max(0, start - place * PART_BYTES), Math.max(0, end - place * PART_BYTES)))
    }
    const all = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0))
    let at = 0
    for (const piece of pieces) {
      all.set(piece, at)
      at += piece.byteLength
    }
    return all
  }

  /** The same as text, for looking into it; empty where what is stored is damaged. */
  readText(body: number, start: number, end: number): string {
    try {
      return new TextDecoder().decode(this.readRange(body, start, end))
    } catch {
      return ''
    }
  }

  /**
   * Removes those of these bodies that no exchange refers to any more, with what was indexed of
   * them.
   */
  removeUnused(ids: ReadonlySet<number>): void {
    const used = this.#database.prepare('SELECT 1 FROM details WHERE request_body = ? OR response_body = ? LIMIT 1')
    const chunks = this.#database.prepare('SELECT id FROM chunks WHERE body = ?')
    const drops = ['DELETE FROM chunks WHERE body = ?', 'DELETE FROM bodies WHERE id = ?'].map((sql) =>
      this.#database.prepare(sql),
    )
    const dropText = this.#database.prepare('DELETE FROM texts WHERE rowid = ?')
    for (const id of ids) {
      if (used.get(id, id)) continue
      for (const { id: chunk } of chunks.all(id)) dropText.run(Number(chunk))
      for (const drop of drops) drop.run(id)
    }
  }
}
