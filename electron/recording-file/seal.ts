// Makes the seals of a recording; seal-reader.ts reads them. What a seal is, and how its hashes are
// made, is electron/core/recordings/seal.ts; a redaction takes earlier seals over by carrySeal.

import { createHash, createPublicKey, hash, randomBytes, sign, type KeyObject } from 'node:crypto'
import {
  addEntry,
  formatFingerprint,
  formatLeaf,
  formatSignature,
  formatStatement,
  getLeafStart,
  getSealDir,
  SALT_BYTES,
  toPem,
  type Leaf,
  type SealedEntry,
  type SealSignature,
  type SealStatement,
} from '../core/recordings/seal.ts'
import { passPieces } from './pieces.ts'
import { hashContents, LeafReader, type Seal } from './seal-reader.ts'
import type { ZipReader } from './zip-reader.ts'
import type { ZipWriter } from './zip-writer.ts'

/** Leaves are written in pieces of as many. */
const LEAVES_PER_PIECE = 10_000

export interface SignSeal {
  (statement: Uint8Array): SealSignature
  readonly fingerprint: string
}

export function createSigner(privateKey: KeyObject): SignSeal {
  const key = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const publicKey = toPem(key)
  const signSeal = (statement: Uint8Array): SealSignature => ({
    algorithm: 'Ed25519',
    publicKey,
    signature: sign(null, statement, privateKey).toString('base64'),
  })
  return Object.assign(signSeal, { fingerprint: formatFingerprint(hash('sha256', key, 'buffer')) })
}

export function hashLeaf(entry: string, index: number, salt: Uint8Array, content: Uint8Array): Buffer {
  return createHash('sha256')
    .update(getLeafStart(entry, index, salt))
    .update(content)
    .digest()
}

export function hashEntry(name: string, leaves: readonly Uint8Array[]): SealedEntry {
  const sum = createHash('sha256')
  addEntry(sum, name, leaves)
  return { name, count: leaves.length, hash: sum.digest('hex') }
}

/** Makes the seal of a recording while its entries are written. */
export class SealWriter {
  readonly #entries: SealedEntry[] = []
  readonly #salts: Buffer[] = []

  /** Adds the lines of an entry, without their ends, or its bytes as the only content. */
  add(name: string, contents: readonly Uint8Array[]): void {
    const salts = randomBytes(contents.length * SALT_BYTES)
    const leaves = contents.map((content, index) => hashLeaf(name, index, getSalt(salts, index), content))
    this.#addEntry(name, leaves, salts)
  }

  /** Passes on the bytes of an entry, and adds it once all have passed. */
  async *pass(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const salt = randomBytes(SALT_BYTES)
    const sum = createHash('sha256').update(getLeafStart(name, 0, salt))
    yield* passPieces(chunks, (chunk) => void sum.update(chunk))
    this.#addEntry(name, [sum.digest()], salt)
  }

  async finish(
    zip: ZipWriter,
    number: number,
    head: Omit<SealStatement, 'entries'>,
    signSeal: SignSeal | null,
  ): Promise<void> {
    const statement = Buffer.from(formatStatement({ ...head, entries: this.#entries }))
    await writeSeal(zip, number, { statement, signature: signSeal?.(statement) ?? null }, this.#listLeaves())
  }

  #addEntry(name: string, leaves: readonly Uint8Array[], salts: Buffer): void {
    this.#entries.push(hashEntry(name, leaves))
    this.#salts.push(salts)
  }

  *#listLeaves(): Generator<Leaf> {
    for (const salts of this.#salts)
      for (let index = 0; index * SALT_BYTES < salts.length; index += 1) yield { salt: getSalt(salts, index) }
  }
}

const getSalt = (salts: Buffer, index: number): Buffer => salts.subarray(index * SALT_BYTES, (index + 1) * SALT_BYTES)

async function writeSeal(
  zip: ZipWriter,
  number: number,
  { statement, signature }: { readonly statement: Buffer; readonly signature: SealSignature | null },
  leaves: Iterable<Leaf> | AsyncIterable<Leaf>,
): Promise<void> {
  const dir = getSealDir(number)
  await zip.add(`${dir}/statement`, statement, true)
  await zip.add(`${dir}/leaves`, formatLeaves(leaves), true)
  if (signature) await zip.add(`${dir}/signature.json`, Buffer.from(formatSignature(signature)), true)
}

async function* formatLeaves(leaves: Iterable<Leaf> | AsyncIterable<Leaf>): AsyncGenerator<Buffer> {
  let lines: string[] = []
  for await (const leaf of leaves) {
    lines.push(formatLeaf(leaf))
    if (lines.length < LEAVES_PER_PIECE) continue
    yield Buffer.from(lines.join(''))
    lines = []
  }
  if (lines.length > 0) yield Buffer.from(lines.join(''))
}

/** Maps each entry that is left to the indexes of the leaves whose contents were replaced. */
export type RewrittenEntries = ReadonlyMap<string, ReadonlySet<number>>

/**
 * Takes a seal over to a redacted recording: of what was replaced or taken out, the hash is left
 * behind and the salt is forgotten, so that nobody can try out what stood there.
 */
export function carrySeal(source: ZipReader, seal: Seal, rewritten: RewrittenEntries, zip: ZipWriter): Promise<void> {
  return writeSeal(zip, seal.number, seal, carryLeaves(source, seal, rewritten))
}

async function* carryLeaves(source: ZipReader, seal: Seal, rewritten: RewrittenEntries): AsyncGenerator<Leaf> {
  const reader = new LeafReader(source, seal)
  for (const { name, count } of seal.entries) {
    const leaves = await reader.read(count)
    const replaced = rewritten.get(name)
    const isForgotten = (leaf: Leaf, index: number): boolean => 'salt' in leaf && replaced?.has(index) !== false
    if (!leaves.some(isForgotten)) {
      yield* leaves
      continue
    }
    let index = 0
    for await (const hashed of hashContents(source, name, leaves)) {
      const leaf = leaves[index]
      if (leaf) yield hashed && isForgotten(leaf, index) ? { hash: hashed } : leaf
      index += 1
    }
  }
  await reader.finish()
}
