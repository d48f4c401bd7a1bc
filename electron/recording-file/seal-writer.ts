import { createHash, randomBytes } from 'node:crypto'
import {
  getByteContents,
  getJsonContents,
  getLineContents,
  hashDocument,
  hashOnlyLeaf,
  LeafHash,
  deriveSalts,
  type DocumentContents,
} from './document-digest.ts'
import {
  formatRoots,
  getLeavesName,
  getSealDir,
  type LeafRecord,
  type RootLine,
  type SealHead,
  type SignRoots,
} from './seal.ts'
import type { ZipWriter } from './zip-writer.ts'

const SEED_BYTES = 16
/** Records are written once they have as many characters, so that few are in memory. */
const MAX_BUFFERED_CHARS = 4_000_000

/** Writes the records of one seal, in entries of bounded size. */
export class LeavesWriter {
  readonly #zip: ZipWriter
  readonly #number: number
  #text = ''
  #segments = 0

  constructor(zip: ZipWriter, number: number) {
    this.#zip = zip
    this.#number = number
  }

  add(record: LeafRecord): void {
    this.#text += `${JSON.stringify(record)}\n`
  }

  /** Writes what was added, if it is much or the last; never while another entry is written. */
  async flush(isLast: boolean): Promise<void> {
    if (this.#text === '' || (!isLast && this.#text.length < MAX_BUFFERED_CHARS)) return
    const bytes = Buffer.from(this.#text)
    this.#text = ''
    await this.#zip.add(getLeavesName(this.#number, this.#segments), bytes, true)
    this.#segments += 1
  }
}

/** Makes the seal of a recording while its documents are written. */
export class SealWriter {
  readonly #zip: ZipWriter
  readonly #number: number
  readonly #leaves: LeavesWriter
  readonly #roots: RootLine[] = []
  readonly #documentsByBody = new Map<string, number>()

  constructor(zip: ZipWriter, number: number) {
    this.#zip = zip
    this.#number = number
    this.#leaves = new LeavesWriter(zip, number)
  }

  /** Adds a document that is in memory: an entry, or with `line` a line of it. */
  add(entry: string, bytes: Uint8Array, isJson: boolean, line?: number): void {
    if (line === undefined) {
      this.#addContents(entry, isJson ? getJsonContents(bytes) : getByteContents(bytes), isJson)
      return
    }
    const { contents, bodies } = entry.startsWith('exchanges/')
      ? getLineContents(bytes, (body) => this.#documentsByBody.get(body) ?? null)
      : { contents: getJsonContents(bytes), bodies: [] }
    this.#addContents(entry, contents, true, { line, bodies })
  }

  /** Passes on the bytes of an entry, and adds it as a document once all have passed. */
  async *pass(entry: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const seed = randomBytes(SEED_BYTES)
    const leaf = new LeafHash(deriveSalts(seed, 1))
    for await (const chunk of chunks) {
      leaf.update(chunk)
      yield chunk
    }
    const root = hashOnlyLeaf(leaf.finish())
    this.#addRecord(entry, seed, { kind: 'bytes', name: getPublicName(entry), root })
  }

  flush(): Promise<void> {
    return this.#leaves.flush(false)
  }

  async finish(head: SealHead, signRoots: SignRoots | null): Promise<void> {
    await this.#leaves.flush(true)
    const roots = Buffer.from(formatRoots({ ...head, lines: this.#roots }))
    await this.#zip.add(`${getSealDir(this.#number)}/roots`, roots, true)
    if (!signRoots) return
    const signature = Buffer.from(`${JSON.stringify(signRoots(roots), null, 2)}\n`)
    await this.#zip.add(`${getSealDir(this.#number)}/signature.json`, signature, true)
  }

  #addContents(
    entry: string,
    contents: DocumentContents,
    isJson: boolean,
    place?: { readonly line: number; readonly bodies: readonly number[] },
  ): void {
    const seed = randomBytes(SEED_BYTES)
    const name = place ? `${entry}:${place.line}` : getPublicName(entry)
    const root = hashDocument(contents, seed)
    this.#addRecord(entry, seed, { kind: isJson ? 'json' : 'bytes', name, root }, place)
  }

  #addRecord(
    entry: string,
    seed: Buffer,
    root: RootLine,
    place?: { readonly line: number; readonly bodies: readonly number[] },
  ): void {
    this.#roots.push(root)
    const document = this.#roots.length
    if (root.name === 'bodies') this.#documentsByBody.set(entry, document)
    this.#leaves.add({
      document,
      entry,
      ...(place ? { line: place.line } : {}),
      ...(place && place.bodies.length > 0 ? { bodies: [...place.bodies] } : {}),
      seed: seed.toString('hex'),
    })
  }
}

/** The hash of a short text tells it to who guesses, so names of bodies are not signed. */
const getPublicName = (entry: string): string => (entry.startsWith('bodies/') ? 'bodies' : entry)

export const hashRoots = (roots: Uint8Array): string => createHash('sha256').update(roots).digest('hex')
