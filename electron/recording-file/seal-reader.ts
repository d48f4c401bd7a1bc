// Reads the seals of a recording, in Node.js and in a browser; seal.ts makes them. What a seal is,
// and how its hashes are made, is electron/core/recordings/seal.ts.

import { AppError } from '../../shared/errors.ts'
import {
  checkSignature,
  formatStatement,
  getEntryKind,
  getLeafStart,
  getSealDir,
  INTEGRITY_PART,
  parseLeaf,
  parseSignature,
  parseStatement,
  toHex,
  type Leaf,
  type SealSignature,
  type SealStatement,
} from '../core/recordings/seal.ts'
import { readLines } from './line-reader.ts'
import { createDamagedError, createInvalidError } from './recording-error.ts'
import type { ZipReader } from './zip-reader.ts'

const MAX_STATEMENT_BYTES = 67_108_864
const MAX_SIGNATURE_BYTES = 4_096
/** Each redaction adds one. */
const MAX_SEALS = 100
const SEAL_ENTRY = /^integrity\/(\d{4})\//

export interface Seal extends SealStatement {
  readonly number: number
  /** The bytes that are signed, and their SHA-256 in hex. */
  readonly statement: Buffer
  readonly digest: string
  readonly signature: SealSignature | null
  /** Fingerprint of the key that signed; null without a valid signature. */
  readonly fingerprint: string | null
}

/** @throws RECORDING_ENTRY_MISSING, RECORDING_ENTRY_INVALID, RECORDING_ENTRY_DAMAGED */
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
  const sum = zip.platform.createSum()
  sum.update(statement)
  const digest = toHex(await sum.digest())
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

/** Yields a hash per leaf, null without a salt. @throws RECORDING_ENTRY_DAMAGED (line count) */
export async function* hashContents(
  zip: ZipReader,
  entry: string,
  leaves: readonly Leaf[],
): AsyncGenerator<Uint8Array | null> {
  const countError = createDamagedError(entry, WRONG_COUNT)
  if (getEntryKind(entry) === 'lines') {
    let index = 0
    for await (const line of readLines(zip.read(entry), entry)) {
      const leaf = leaves[index]
      if (!leaf) throw countError
      yield 'salt' in leaf ? await hashLine(zip, entry, index, leaf.salt, line) : null
      index += 1
    }
    if (index < leaves.length) throw countError
    return
  }
  const [leaf] = leaves
  const salt = leaf && 'salt' in leaf ? leaf.salt : null
  const sum = zip.platform.createSum()
  if (salt) sum.update(getLeafStart(entry, 0, salt))
  for await (const chunk of zip.read(entry)) sum.update(chunk)
  yield salt && (await sum.digest())
}

function hashLine(
  { platform }: ZipReader,
  entry: string,
  index: number,
  salt: Uint8Array,
  line: Uint8Array,
): Uint8Array | Promise<Uint8Array> {
  const sum = platform.createSum()
  sum.update(getLeafStart(entry, index, salt))
  sum.update(line)
  return sum.digest()
}

/** Tells errors about a recording from others, which are not part of a verdict. */
export function getDamage(error: unknown): { readonly entry: string; readonly reason: string } {
  if (!(error instanceof AppError) || error.code === 'CANCELLED') throw error
  const { params } = error.wire
  return { entry: String(params?.['entry'] ?? ''), reason: String(params?.['reason'] ?? error.message) }
}
