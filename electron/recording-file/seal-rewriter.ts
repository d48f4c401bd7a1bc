import { MANIFEST_ENTRY } from '../../shared/recordings/recording.ts'
import {
  deriveSalts,
  getByteContents,
  getJsonContents,
  getLineContents,
  hashLeaf,
  SALT_BYTES,
  type DocumentContents,
} from './document-digest.ts'
import { createInvalidError } from './recording-error.ts'
import { getSealDir, type LeafRecord } from './seal.ts'
import { readLeafRecords, readSeal, type Seal } from './seal-reader.ts'
import { LeavesWriter } from './seal-writer.ts'
import type { ZipReader } from './zip-reader.ts'
import type { ZipWriter } from './zip-writer.ts'

/** The bytes of a document before and after a redaction. */
export interface RewrittenDocument {
  readonly before: Uint8Array
  /** Null if it was taken out. */
  readonly after: Uint8Array | null
  /** Where it is now. */
  readonly entry: string
}

/**
 * Carries a seal over to a redacted recording: of values that changed, the hash is left behind and
 * the salt is forgotten, so that nobody can try out what stood there.
 */
export class SealRewriter {
  readonly number: number
  readonly seal: Seal
  readonly #zip: ZipWriter
  readonly #leaves: LeavesWriter
  /**
   * Records, or only the numbers of the documents of long ones. An earlier redaction may have made
   * several bodies equal.
   */
  readonly #recordsByPlace: ReadonlyMap<string, readonly (LeafRecord | number)[]>
  readonly #longRecords: RecordCursor
  readonly #bodyEntries = new Map<number, string | null>()
  readonly #oldBodies = new Set<string>()
  readonly #currentBodies = new Set<string>()
  readonly #pending = new Map<number, LeafRecord>()
  #nextDocument = 1

  private constructor(
    zip: ZipWriter,
    number: number,
    seal: Seal,
    longRecords: RecordCursor,
    records: ReadonlyMap<string, readonly (LeafRecord | number)[]>,
  ) {
    this.#zip = zip
    this.number = number
    this.seal = seal
    this.#leaves = new LeavesWriter(zip, number)
    this.#longRecords = longRecords
    this.#recordsByPlace = records
  }

  static async load(source: ZipReader, number: number, zip: ZipWriter): Promise<SealRewriter> {
    const seal = await readSeal(source, number)
    const records = new Map<string, (LeafRecord | number)[]>()
    const removed: LeafRecord[] = []
    for await (const record of readLeafRecords(source, number)) {
      if (record.entry === null) removed.push(record)
      else {
        const place = getPlace(record.entry, record.line)
        const others = records.get(place) ?? []
        others.push(isLong(record) ? record.document : record)
        records.set(place, others)
      }
    }
    const rewriter = new SealRewriter(zip, number, seal, new RecordCursor(source, number), records)
    for (const record of removed) rewriter.#emit(record)
    return rewriter
  }

  /** Where the manifest is that this seal speaks of. */
  findManifest(): string | null {
    const names = [MANIFEST_ENTRY, `${getSealDir(this.number)}/${MANIFEST_ENTRY}`]
    return names.find((name) => this.#recordsByPlace.has(name)) ?? null
  }

  /** Notes what became of a body before the lines that name it; only the first call counts. */
  async moveBody(entry: string, document: RewrittenDocument): Promise<void> {
    if (this.#oldBodies.has(entry)) return
    this.#oldBodies.add(entry)
    const target = document.after === null ? null : document.entry
    if (target !== null) this.#currentBodies.add(target)
    for (const record of this.#recordsByPlace.get(entry) ?? [])
      this.#bodyEntries.set(typeof record === 'number' ? record : record.document, target)
    await this.moveEntry(entry, document)
  }

  async moveEntry(entry: string, { before, after, entry: target }: RewrittenDocument): Promise<void> {
    for await (const record of this.#takeRecords(entry)) {
      const { document } = record
      const getContents = this.seal.roots.lines[document - 1]?.kind === 'json' ? getJsonContents : getByteContents
      if (after === null) this.#emit({ document, entry: null })
      else this.#emit({ ...rewriteRecord(record, getContents(before), getContents(after)), entry: target })
    }
  }

  /** The lines of an entry stay where they are; they are moved after all bodies that they name. */
  async moveLine(entry: string, line: number, before: Uint8Array, after: Uint8Array): Promise<void> {
    for await (const record of this.#takeRecords(getPlace(entry, line)))
      if (entry.startsWith('exchanges/')) this.#emit(this.#rewriteExchange(record, before, after))
      else this.#emit(rewriteRecord(record, getJsonContents(before), getJsonContents(after)))
  }

  async *#takeRecords(place: string): AsyncGenerator<LeafRecord> {
    for (const record of this.#recordsByPlace.get(place) ?? [])
      yield typeof record === 'number' ? await this.#longRecords.take(record) : record
  }

  #rewriteExchange(record: LeafRecord, before: Uint8Array, after: Uint8Array): LeafRecord {
    const wasRemoved = new Set(record.removed?.map(([index]) => index))
    const numbers = [...(record.bodies ?? [])]
    const numbersByIndex = new Map<number, number>()
    const { contents: oldContents } = getLineContents(before, (body, index) => {
      if (wasRemoved.has(index) || !this.#oldBodies.has(body)) return null
      const number = numbers.shift() ?? 0
      numbersByIndex.set(index, number)
      return number
    })
    const { contents: newContents } = getLineContents(after, (body, index) => {
      if (!this.#currentBodies.has(body)) return null
      const number = numbersByIndex.get(index)
      // The name of another body is a change; no document has the number -1.
      return number !== undefined && this.#bodyEntries.get(number) === body ? number : -1
    })
    const { bodies, ...rewritten } = rewriteRecord(record, oldContents, newContents)
    if (bodies === undefined || (rewritten.seed === undefined && rewritten.salts === undefined)) return rewritten
    const isRemoved = new Set(rewritten.removed?.map(([index]) => index))
    const remaining = [...numbersByIndex].filter(([index]) => !isRemoved.has(index)).map(([, number]) => number)
    return { ...rewritten, ...(remaining.length > 0 ? { bodies: remaining } : {}) }
  }

  /** Writes the records so far, between two entries. */
  flush(): Promise<void> {
    return this.#leaves.flush(false)
  }

  /** Writes the rest. Documents that nothing was said about are gone. */
  async finish(): Promise<void> {
    for (let document = this.#nextDocument; document <= this.seal.roots.lines.length; document += 1)
      if (!this.#pending.has(document)) this.#emit({ document, entry: null })
    await this.#leaves.flush(true)
    const dir = getSealDir(this.number)
    await this.#zip.add(`${dir}/roots`, this.seal.bytes, true)
    if (!this.seal.signature) return
    const signature = Buffer.from(`${JSON.stringify(this.seal.signature, null, 2)}\n`)
    await this.#zip.add(`${dir}/signature.json`, signature, true)
  }

  #emit(record: LeafRecord): void {
    this.#pending.set(record.document, record)
    for (;;) {
      const next = this.#pending.get(this.#nextDocument)
      if (!next) return
      this.#pending.delete(this.#nextDocument)
      this.#leaves.add(next)
      this.#nextDocument += 1
    }
  }
}

/** A record with more hashes and salts is read again when it is needed. */
const MAX_HELD_VALUES = 8

const isLong = ({ salts = '', removed = [] }: LeafRecord): boolean =>
  removed.length > MAX_HELD_VALUES || salts.length > MAX_HELD_VALUES * SALT_BYTES

/**
 * Reads the long records of a seal in their order. A redaction asks for them nearly in the same
 * order, so few of them are in memory.
 */
class RecordCursor {
  readonly #number: number
  readonly #records: AsyncGenerator<LeafRecord>
  /** Records that were passed over. */
  readonly #passed = new Map<number, LeafRecord>()

  constructor(zip: ZipReader, number: number) {
    this.#number = number
    this.#records = readLeafRecords(zip, number)
  }

  /** Returns the record of a document, once. */
  async take(document: number): Promise<LeafRecord> {
    const passed = this.#passed.get(document)
    this.#passed.delete(document)
    if (passed) return passed
    for (let next = await this.#records.next(); next.done !== true; next = await this.#records.next()) {
      if (next.value.document === document) return next.value
      if (next.value.entry !== null && isLong(next.value)) this.#passed.set(next.value.document, next.value)
    }
    throw createInvalidError(getSealDir(this.#number), `the document ${document} has two records`)
  }
}

const getPlace = (entry: string, line: number | undefined): string => (line === undefined ? entry : `${entry}:${line}`)

/** Compares the values of a document; what changed loses its salt. */
function rewriteRecord(record: LeafRecord, before: DocumentContents, after: DocumentContents): LeafRecord {
  const { seed, salts: oldSalts, removed = [], ...place } = record
  if (seed === undefined && oldSalts === undefined) return place
  if (before.count !== after.count || !before.isSame(0, after)) return place
  const hashes = new Map(removed)
  const salts =
    seed === undefined ? Buffer.from(oldSalts ?? '', 'base64') : deriveSalts(Buffer.from(seed, 'hex'), before.count)
  const hidden: [index: number, hash: string][] = []
  let next = 0
  let keptBytes = 0
  for (let index = 0; index < before.count; index += 1) {
    const hash = hashes.get(index)
    if (hash !== undefined) {
      hidden.push([index, hash])
      continue
    }
    if (!before.isSame(index, after)) hidden.push([index, hashLeaf(salts, next, before, index).toString('hex')])
    else {
      // No salt is read again that stood further ahead.
      salts.copyWithin(keptBytes, next * SALT_BYTES, (next + 1) * SALT_BYTES)
      keptBytes += SALT_BYTES
    }
    next += 1
  }
  if (hidden.length === removed.length) return record
  return { ...place, salts: salts.toString('base64', 0, keptBytes), removed: hidden }
}
