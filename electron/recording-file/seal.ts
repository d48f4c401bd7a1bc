// Makes and reads the seals of a recording. What a seal is, and how its hashes are made, is
// electron/core/recordings/seal.ts; a redaction takes earlier seals over by carrySeal.

import { createHash, createPublicKey, hash, randomBytes, sign, type KeyObject } from 'node:crypto'
import { AppError } from '../../shared/errors.ts'
import {
  checkSignature,
  formatFingerprint,
  formatLeaf,
  formatSignature,
  formatStatement,
  getEntryKind,
  getEntryStart,
  getLeafStart,
  getSealDir,
  INTEGRITY_PART,
  parseLeaf,
  parseSignature,
  parseStatement,
  SALT_BYTES,
  toPem,
  type Leaf,
  type SealedEntry,
  type SealSignature,
  type SealStatement,
} from '../core/recordings/seal.ts'
import { readLines } from './line-reader.ts'
import { passPieces } from './pieces.ts'
import { createDamagedError, createInvalidError } from './recording-error.ts'
import type { ZipReader } from './zip-reader.ts'
import type { ZipWriter } from './zip-writer.ts'

const MAX_STATEMENT_BYTES = 67_108_864
const MAX_SIGNATURE_BYTES = 4_096
/** Each redaction adds one. */
const MAX_SEALS = 100
const SEAL_ENTRY = /^integrity\/(\d{4})\//
/** Leaves are written in pieces of as many. */
const LEAVES_PER_PIECE = 10_000

export interface SignSeal {
  (statement: Uint8Array): SealSignature
  /** Of the key that signs. */
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
  const sum = createHash('sha256').update(getEntryStart(name, leaves.length))
  for (const leaf of leaves) sum.update(leaf)
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

export interface Seal extends SealStatement {
  readonly number: number
  /** The bytes that are signed, and their SHA-256 in hex. */
  readonly statement: Buffer
  readonly digest: string
  /** Null if the seal is not signed. */
  readonly signature: SealSignature | null
  /** Of the key that signed; null if nobody did, or the signature is not valid. */
  readonly fingerprint: string | null
}

/**
 * Reads the seals of a recording, the first one first.
 * @throws RECORDING_ENTRY_MISSING, RECORDING_ENTRY_INVALID, RECORDING_ENTRY_DAMAGED
 */
export async function readSeals(zip: ZipReader): Promise<Seal[]> {
  const seals: Seal[] = []
  const isSealed = (number: number): boolean => zip.entries.has(`${getSealDir(number)}/statement`)
  for (let number = 1; number <= MAX_SEALS && isSealed(number); number += 1) seals.push(await readSeal(zip, number))
  for (const name of zip.entries.keys()) {
    if (!name.startsWith(`${INTEGRITY_PART}/`)) continue
    const number = Number(SEAL_ENTRY.exec(name)?.[1] ?? 0)
    const isPart = ['statement', 'leaves', 'signature.json'].some((end) => name === `${getSealDir(number)}/${end}`)
    if (!isPart || number < 1 || number > seals.length) throw createInvalidError(name, 'it belongs to no seal')
  }
  return seals
}

async function readSeal(zip: ZipReader, number: number): Promise<Seal> {
  const dir = getSealDir(number)
  const statement = await zip.readWhole(`${dir}/statement`, MAX_STATEMENT_BYTES)
  const parsed = parseStatement(statement.toString())
  // Bytes that are no UTF-8 would be equal to others.
  if (!parsed || !Buffer.from(formatStatement(parsed)).equals(statement))
    throw createInvalidError(`${dir}/statement`, 'it is no seal that this version knows')
  const signature = await readSignature(zip, `${dir}/signature.json`)
  const fingerprint = signature && (await checkSignature(new Uint8Array(statement), signature))
  const digest = hash('sha256', statement, 'hex')
  return { ...parsed, number, statement, digest, signature, fingerprint }
}

async function readSignature(zip: ZipReader, entry: string): Promise<SealSignature | null> {
  if (!zip.entries.has(entry)) return null
  const bytes = await zip.readWhole(entry, MAX_SIGNATURE_BYTES)
  const signature = parseSignature(bytes.toString())
  if (!signature) throw createInvalidError(entry, 'it is no signature that this version knows')
  return signature
}

/** Reads the leaves of a seal, entry by entry. @throws RECORDING_ENTRY_INVALID and others */
export class LeafReader {
  readonly #entry: string
  readonly #lines: AsyncGenerator<Buffer>
  #line = 0

  constructor(zip: ZipReader, { number }: Seal) {
    this.#entry = `${getSealDir(number)}/leaves`
    this.#lines = readLines(zip.read(this.#entry), this.#entry)
  }

  /** Reads the next leaves, as many as an entry has. */
  async read(count: number): Promise<Leaf[]> {
    const leaves: Leaf[] = []
    while (leaves.length < count) {
      const { value } = await this.#lines.next()
      this.#line += 1
      const leaf = value && parseLeaf(value.toString('latin1'))
      if (!leaf) throw createInvalidError(this.#entry, 'it is no leaf', this.#line)
      leaves.push(leaf)
    }
    return leaves
  }

  /** Checks that there are no further leaves. */
  async finish(): Promise<void> {
    const { done } = await this.#lines.next()
    if (done !== true) throw createInvalidError(this.#entry, 'it has leaves of no entry', this.#line + 1)
  }
}

export const WRONG_COUNT = 'its number of lines is not what was sealed'

/**
 * Hashes each content of an entry with the salt of its leaf; a leaf without a salt gives null.
 * @throws RECORDING_ENTRY_DAMAGED if the entry has another number of lines than leaves
 */
export async function* hashContents(
  zip: ZipReader,
  entry: string,
  leaves: readonly Leaf[],
): AsyncGenerator<Buffer | null> {
  const countError = createDamagedError(entry, WRONG_COUNT)
  if (getEntryKind(entry) === 'lines') {
    let index = 0
    for await (const line of readLines(zip.read(entry), entry)) {
      const leaf = leaves[index]
      if (!leaf) throw countError
      yield 'salt' in leaf ? hashLeaf(entry, index, leaf.salt, line) : null
      index += 1
    }
    if (index < leaves.length) throw countError
    return
  }
  const [leaf] = leaves
  const salt = leaf && 'salt' in leaf ? leaf.salt : null
  const sum = createHash('sha256')
  if (salt) sum.update(getLeafStart(entry, 0, salt))
  for await (const chunk of zip.read(entry)) sum.update(chunk)
  yield salt && sum.digest()
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

/** Tells errors about a recording from others, which are not part of a verdict. */
export function getDamage(error: unknown): { readonly entry: string; readonly reason: string } {
  if (!(error instanceof AppError) || error.code === 'CANCELLED') throw error
  const { params } = error.wire
  return { entry: String(params?.['entry'] ?? ''), reason: String(params?.['reason'] ?? error.message) }
}
