import { createHash } from 'node:crypto'
import { getPartOfEntry, MANIFEST_ENTRY } from '../../shared/recordings/recording.ts'
import {
  deriveSalts,
  getJsonContents,
  getLineContents,
  hashDocument,
  hashOnlyLeaf,
  hashRoot,
  LeafHash,
  SALT_BYTES,
  writeLeaf,
  type DocumentContents,
} from './document-digest.ts'
import { findPointers } from './json-values.ts'
import { readLines } from './line-reader.ts'
import { MAX_JSON_BODY_BYTES } from './recording-writer.ts'
import { getSealDir, type LeafRecord, type RootLine } from './seal.ts'
import type { ZipReader } from './zip-reader.ts'

/** What became of a document. `removed` lists the pointers of the values that are gone. */
export type DocumentOutcome =
  | { readonly state: 'intact' | 'replaced' | 'removed' | 'missing' }
  | { readonly state: 'redacted'; readonly removed: readonly string[] }
  | { readonly state: 'altered'; readonly reason: string }

const INTACT: DocumentOutcome = { state: 'intact' }
const ALTERED: DocumentOutcome = { state: 'altered', reason: 'its content is not what was sealed' }

/** Checks the documents of one seal, in the order of their numbers. */
export class DocumentCheck {
  readonly #zip: ZipReader
  readonly #sealNumber: number
  /** Where the documents of bodies are now. */
  readonly #entries = new Map<number, string | null>()
  readonly #bodies = new Set<string>()
  #lines: LineCursor | null = null

  constructor(zip: ZipReader, sealNumber: number) {
    this.#zip = zip
    this.#sealNumber = sealNumber
  }

  /** @throws RECORDING_ENTRY_DAMAGED and other errors of reading the entry */
  async check(record: LeafRecord, root: RootLine): Promise<DocumentOutcome> {
    const { document, entry, line } = record
    if (root.name === 'bodies') {
      this.#entries.set(document, entry)
      if (entry !== null) this.#bodies.add(entry)
    }
    if (entry === null) return { state: 'removed' }
    if (!this.#isPlaceOf(root.name, record)) return { state: 'altered', reason: 'it is not where it was sealed' }
    if (!this.#zip.entries.has(entry)) return { state: 'missing' }
    if (line !== undefined) return this.#checkLine(record, entry, line, root)
    if (root.kind === 'bytes') return this.#checkBytes(record, entry, root)
    const bytes = await this.#zip.readWhole(entry, MAX_JSON_BODY_BYTES)
    if (!hasNameOf(entry, createHash('sha256').update(bytes).digest('hex'))) return ALTERED
    return checkContents(record, root, getJsonContents(bytes), () => findPointers(bytes))
  }

  /**
   * Number of lines that follow the last line that was checked in this entry.
   * @returns 0 if another entry was checked since then
   */
  async countFurtherLines(entry: string): Promise<number> {
    return this.#lines?.entry === entry ? this.#lines.countRest() : 0
  }

  async #checkLine(record: LeafRecord, entry: string, line: number, root: RootLine): Promise<DocumentOutcome> {
    if (this.#lines?.entry !== entry) this.#lines = new LineCursor(this.#zip, entry)
    const bytes = await this.#lines.moveTo(line)
    if (bytes === 'passed') return { state: 'altered', reason: 'the order of its lines is not what was sealed' }
    if (bytes === null) return { state: 'missing' }
    const getPointers = (): string[] => findPointers(bytes)
    if (getPartOfEntry(entry) !== 'exchanges') return checkContents(record, root, getJsonContents(bytes), getPointers)
    const removed = new Set(record.removed?.map(([index]) => index))
    const numbers = [...(record.bodies ?? [])]
    const { contents } = getLineContents(bytes, (body, index) => {
      if (removed.has(index) || !this.#bodies.has(body)) return null
      const number = numbers.shift() ?? null
      return number !== null && this.#entries.get(number) === body ? number : null
    })
    return checkContents(record, root, contents, getPointers)
  }

  async #checkBytes(record: LeafRecord, entry: string, root: RootLine): Promise<DocumentOutcome> {
    const salt = record.seed === undefined ? record.salts : undefined
    const isReplaced = record.seed === undefined && salt === undefined
    const leaf = new LeafHash(
      record.seed === undefined ? Buffer.from(salt ?? '', 'base64') : deriveSalts(Buffer.from(record.seed, 'hex'), 1),
    )
    const name = createHash('sha256')
    for await (const chunk of this.#zip.read(entry)) {
      leaf.update(chunk)
      name.update(chunk)
    }
    if (!hasNameOf(entry, name.digest('hex'))) return ALTERED
    if (isReplaced) return { state: 'replaced' }
    return hashOnlyLeaf(leaf.finish()) === root.root ? INTACT : ALTERED
  }

  /** Bodies get other names by a redaction; the manifest is kept beside the seal then. */
  #isPlaceOf(name: string, { entry, line }: LeafRecord): boolean {
    if (name === 'bodies') return line === undefined && entry?.startsWith('bodies/') === true
    if (line !== undefined) return name.startsWith(`${entry}:`) && line <= Number(name.slice((entry ?? '').length + 1))
    return entry === name || (name === MANIFEST_ENTRY && entry === `${getSealDir(this.#sealNumber)}/${MANIFEST_ENTRY}`)
  }
}

const hasNameOf = (entry: string, digest: string): boolean =>
  !entry.startsWith('bodies/') || entry === `bodies/${digest}`

function checkContents(
  { seed, salts, removed = [] }: LeafRecord,
  root: RootLine,
  contents: DocumentContents,
  getPointers: () => readonly string[],
): DocumentOutcome {
  const { count } = contents
  if (seed !== undefined) {
    return hashDocument(contents, Buffer.from(seed, 'hex')) === root.root ? INTACT : ALTERED
  }
  if (salts === undefined) return { state: 'replaced' }
  const remaining = Buffer.from(salts, 'base64')
  const hashes = new Map(removed.map(([index, hash]) => [index, Buffer.from(hash, 'hex')]))
  if (remaining.length !== (count - hashes.size) * SALT_BYTES || removed.some(([index]) => index >= count))
    return ALTERED
  let next = 0
  const computed = hashRoot(count, (index, target, offset) => {
    const hash = hashes.get(index)
    if (hash) target.set(hash, offset)
    else {
      writeLeaf(target, offset, remaining, next, contents, index)
      next += 1
    }
  })
  if (computed !== root.root) return ALTERED
  if (hashes.size === 0) return INTACT
  // Without its skeleton nothing says which value is which.
  if (hashes.has(0)) return { state: 'replaced' }
  const pointers = getPointers()
  return { state: 'redacted', removed: [...hashes.keys()].map((index) => pointers[index - 1] ?? '') }
}

/** Goes through the lines of an entry once. */
class LineCursor {
  readonly entry: string
  readonly #lines: AsyncGenerator<Buffer>
  #line = 0

  constructor(zip: ZipReader, entry: string) {
    this.entry = entry
    this.#lines = readLines(zip.read(entry), entry)
  }

  /** @returns null behind the last line; `passed` for a line that is not the next one */
  async moveTo(line: number): Promise<Buffer | null | 'passed'> {
    if (line !== this.#line + 1) return 'passed'
    const next = await this.#lines.next()
    if (next.done === true) return null
    this.#line += 1
    return next.value
  }

  async countRest(): Promise<number> {
    let count = 0
    for (let next = await this.#lines.next(); next.done !== true; next = await this.#lines.next()) count += 1
    return count
  }
}
