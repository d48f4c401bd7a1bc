import { createCipheriv, createHash, hash } from 'node:crypto'
import { findValues, getSkeleton } from './json-values.ts'
import { hashShort, MAX_SHORT_BYTES } from './short-hash.ts'

export const SALT_BYTES = 16
const HASH_BYTES = 32
const LEAF_PREFIX = 0
const ROOT_PREFIX = 1
const BODY_PREFIX = 'bodies/'
/** A string with the name of a body: 64 hex digits between quotes. */
const REFERENCE_BYTES = 66

/**
 * How the hash of a document is made: a `json` document from its skeleton and each of its values,
 * any other from all of its bytes.
 */
export type DocumentKind = 'json' | 'bytes'

/** What is hashed of a document: the skeleton (or all bytes) is at index 0, values are after it. */
export interface DocumentContents {
  readonly count: number
  get(index: number): Uint8Array
}

export const getByteContents = (bytes: Uint8Array): DocumentContents => ({ count: 1, get: () => bytes })

export function getJsonContents(bytes: Uint8Array): DocumentContents {
  const spans = findValues(bytes)
  const skeleton = getSkeleton(bytes, spans)
  return {
    count: spans.count + 1,
    get: (index) =>
      index === 0 ? skeleton : bytes.subarray(spans.offsets[index * 2 - 2], spans.offsets[index * 2 - 1]),
  }
}

/**
 * A line of `exchanges`, in which the names of bodies are replaced by the numbers of their
 * documents, so that a body may get another name without a change of the line.
 * @param findDocument returns the number of the document in this entry, which the value at the
 *   index names, or null if the value is to stay as it is.
 */
export function getLineContents(
  bytes: Uint8Array,
  findDocument: (entry: string, index: number) => number | null,
): DocumentContents & { readonly bodies: readonly number[] } {
  const contents = getJsonContents(bytes)
  const replaced = new Map<number, Uint8Array>()
  const bodies: number[] = []
  for (let index = 1; index < contents.count; index += 1) {
    const value = contents.get(index)
    if (value.length !== REFERENCE_BYTES) continue
    const document = findDocument(BODY_PREFIX + Buffer.from(value.subarray(1, -1)).toString('latin1'), index)
    if (document === null) continue
    bodies.push(document)
    replaced.set(index, Buffer.from(`document ${document}`))
  }
  return { count: contents.count, bodies, get: (index) => replaced.get(index) ?? contents.get(index) }
}

/** The salts of a document: the key stream of AES-128 in counter mode, which begins at zero. */
export const deriveSalts = (seed: Uint8Array, count: number): Buffer =>
  createCipheriv('aes-128-ctr', seed, Buffer.alloc(16)).update(Buffer.alloc(count * SALT_BYTES))

const SALTED_BYTES = 1 + SALT_BYTES
const scratch = new Uint8Array(4_096)

export function hashLeaf(salt: Uint8Array, content: Uint8Array): Buffer {
  const leaf = Buffer.alloc(HASH_BYTES)
  writeLeaf(leaf, 0, salt, content)
  return leaf
}

/** Writes the hash of a content to a target. */
export function writeLeaf(target: Uint8Array, offset: number, salt: Uint8Array, content: Uint8Array): void {
  const length = SALTED_BYTES + content.length
  if (length > scratch.length) {
    target.set(createHash('sha256').update(Buffer.of(LEAF_PREFIX)).update(salt).update(content).digest(), offset)
    return
  }
  scratch[0] = LEAF_PREFIX
  scratch.set(salt, 1)
  scratch.set(content, SALTED_BYTES)
  if (length <= MAX_SHORT_BYTES) hashShort(scratch, length, target, offset)
  else target.set(hash('sha256', scratch.subarray(0, length), 'buffer'), offset)
}

/** Hashes all bytes of a document that is too large to be held in memory. */
export class LeafHash {
  readonly #hash

  constructor(salt: Uint8Array) {
    this.#hash = createHash('sha256').update(Buffer.of(LEAF_PREFIX)).update(salt)
  }

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes)
  }

  finish(): Buffer {
    return this.#hash.digest()
  }
}

/**
 * @param write writes a leaf to the target
 * @returns the root in hex
 */
export function hashRoot(count: number, write: (index: number, target: Uint8Array, offset: number) => void): string {
  const leaves = Buffer.alloc(1 + count * HASH_BYTES)
  leaves[0] = ROOT_PREFIX
  for (let index = 0; index < count; index += 1) write(index, leaves, 1 + index * HASH_BYTES)
  return hash('sha256', leaves, 'hex')
}

/** The root of a document that has only one leaf. */
export const hashOnlyLeaf = (leaf: Uint8Array): string =>
  hashRoot(1, (_index, target, offset) => target.set(leaf, offset))

export function hashDocument(contents: DocumentContents, seed: Uint8Array): string {
  const salts = deriveSalts(seed, contents.count)
  return hashRoot(contents.count, (index, target, offset) =>
    writeLeaf(target, offset, getSalt(salts, index), contents.get(index)),
  )
}

export const getSalt = (salts: Uint8Array, index: number): Uint8Array =>
  salts.subarray(index * SALT_BYTES, (index + 1) * SALT_BYTES)

const BLANKS: ReadonlySet<number> = new Set([9, 10, 13, 32])

/** Whether an entry is hashed value by value: an object or a list in JSON. */
export function looksLikeJson(start: Uint8Array): boolean {
  const first = start.find((byte) => !BLANKS.has(byte))
  return first === 123 || first === 91
}
