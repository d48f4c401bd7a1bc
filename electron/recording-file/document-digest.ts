import { createCipheriv, createHash, hash } from 'node:crypto'
import { findValues, getSkeleton, type ValueSpans } from './json-values.ts'
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

/** A copy of a longer value by the engine is faster than one byte by byte. */
const MAX_LOOP_BYTES = 48

/**
 * What is hashed of a document: the skeleton (or all bytes) is at index 0, values are after it.
 * Recordings have millions of values, so they are copied and compared where they stand.
 */
export class DocumentContents {
  readonly count: number
  readonly #bytes: Uint8Array
  readonly #offsets: Uint32Array
  readonly #skeleton: Uint8Array
  readonly #replaced: ReadonlyMap<number, Uint8Array>

  constructor(
    bytes: Uint8Array,
    { count, offsets }: ValueSpans,
    skeleton: Uint8Array,
    replaced: ReadonlyMap<number, Uint8Array> = new Map(),
  ) {
    this.count = count + 1
    this.#bytes = bytes
    this.#offsets = offsets
    this.#skeleton = skeleton
    this.#replaced = replaced
  }

  get(index: number): Uint8Array {
    const replaced = index === 0 ? this.#skeleton : this.#replaced.get(index)
    return replaced ?? this.#bytes.subarray(this.#offsets[index * 2 - 2], this.#offsets[index * 2 - 1])
  }

  /** @returns the number of bytes that were copied; -1 if the target has no room for them */
  copy(index: number, target: Uint8Array, offset: number): number {
    const start = this.#offsets[index * 2 - 2] ?? 0
    const length = (this.#offsets[index * 2 - 1] ?? 0) - start
    if (index > 0 && length <= MAX_LOOP_BYTES && !this.#replaced.has(index)) {
      for (let byte = 0; byte < length; byte += 1) target[offset + byte] = this.#bytes[start + byte] ?? 0
      return length
    }
    const content = this.get(index)
    if (offset + content.length > target.length) return -1
    target.set(content, offset)
    return content.length
  }

  isSame(index: number, other: DocumentContents): boolean {
    const start = this.#offsets[index * 2 - 2] ?? 0
    const length = (this.#offsets[index * 2 - 1] ?? 0) - start
    const isReplaced = this.#replaced.has(index) || other.#replaced.has(index)
    if (index === 0 || isReplaced || length > MAX_LOOP_BYTES)
      return Buffer.compare(this.get(index), other.get(index)) === 0
    const otherStart = other.#offsets[index * 2 - 2] ?? 0
    if ((other.#offsets[index * 2 - 1] ?? 0) - otherStart !== length) return false
    for (let byte = 0; byte < length; byte += 1)
      if (this.#bytes[start + byte] !== other.#bytes[otherStart + byte]) return false
    return true
  }
}

const NO_VALUES: ValueSpans = { count: 0, offsets: new Uint32Array() }

export const getByteContents = (bytes: Uint8Array): DocumentContents => new DocumentContents(bytes, NO_VALUES, bytes)

export function getJsonContents(bytes: Uint8Array): DocumentContents {
  const spans = findValues(bytes)
  return new DocumentContents(bytes, spans, getSkeleton(bytes, spans))
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
): { readonly contents: DocumentContents; readonly bodies: readonly number[] } {
  const spans = findValues(bytes)
  const replaced = new Map<number, Uint8Array>()
  const bodies: number[] = []
  for (let index = 1; index <= spans.count; index += 1) {
    const start = spans.offsets[index * 2 - 2] ?? 0
    const end = spans.offsets[index * 2 - 1] ?? 0
    if (end - start !== REFERENCE_BYTES) continue
    const name = Buffer.from(bytes.subarray(start + 1, end - 1)).toString('latin1')
    const document = findDocument(BODY_PREFIX + name, index)
    if (document === null) continue
    bodies.push(document)
    replaced.set(index, Buffer.from(`document ${document}`))
  }
  return { contents: new DocumentContents(bytes, spans, getSkeleton(bytes, spans), replaced), bodies }
}

/** The salts of a document: the key stream of AES-128 in counter mode, which begins at zero. */
export const deriveSalts = (seed: Uint8Array, count: number): Buffer =>
  createCipheriv('aes-128-ctr', seed, Buffer.alloc(16)).update(Buffer.alloc(count * SALT_BYTES))

const SALTED_BYTES = 1 + SALT_BYTES
const scratch = new Uint8Array(4_096)
scratch[0] = LEAF_PREFIX

/**
 * Writes the hash of a content to a target.
 * @param salts the salts of several contents, and which of them this one has
 */
export function writeLeaf(
  target: Uint8Array,
  offset: number,
  salts: Uint8Array,
  saltIndex: number,
  contents: DocumentContents,
  index: number,
): void {
  const saltStart = saltIndex * SALT_BYTES
  for (let byte = 0; byte < SALT_BYTES; byte += 1) scratch[1 + byte] = salts[saltStart + byte] ?? 0
  const copied = contents.copy(index, scratch, SALTED_BYTES)
  const length = SALTED_BYTES + copied
  if (copied < 0)
    target.set(
      createHash('sha256').update(scratch.subarray(0, SALTED_BYTES)).update(contents.get(index)).digest(),
      offset,
    )
  else if (length > MAX_SHORT_BYTES) target.set(hash('sha256', scratch.subarray(0, length), 'buffer'), offset)
  else hashShort(scratch, length, target, offset)
}

export function hashLeaf(salts: Uint8Array, saltIndex: number, contents: DocumentContents, index: number): Buffer {
  const leaf = Buffer.alloc(HASH_BYTES)
  writeLeaf(leaf, 0, salts, saltIndex, contents, index)
  return leaf
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

/** So many hashes of leaves are in memory at once. */
const MAX_LEAVES = 2_048

/**
 * @param write writes a leaf to the target
 * @returns the root in hex
 */
export function hashRoot(count: number, write: (index: number, target: Uint8Array, offset: number) => void): string {
  const leaves = Buffer.allocUnsafe(Math.min(count, MAX_LEAVES) * HASH_BYTES)
  const sum = createHash('sha256').update(Buffer.of(ROOT_PREFIX))
  for (let start = 0; start < count; start += MAX_LEAVES) {
    const end = Math.min(count, start + MAX_LEAVES)
    for (let index = start; index < end; index += 1) write(index, leaves, (index - start) * HASH_BYTES)
    sum.update(leaves.subarray(0, (end - start) * HASH_BYTES))
  }
  return sum.digest('hex')
}

/** The root of a document that has only one leaf. */
export const hashOnlyLeaf = (leaf: Uint8Array): string =>
  hashRoot(1, (_index, target, offset) => target.set(leaf, offset))

export function hashDocument(contents: DocumentContents, seed: Uint8Array): string {
  const salts = deriveSalts(seed, contents.count)
  return hashRoot(contents.count, (index, target, offset) => writeLeaf(target, offset, salts, index, contents, index))
}

const BLANKS: ReadonlySet<number> = new Set([9, 10, 13, 32])

/** Whether an entry is hashed value by value: an object or a list in JSON. */
export function looksLikeJson(start: Uint8Array): boolean {
  const first = start.find((byte) => !BLANKS.has(byte))
  return first === 123 || first === 91
}
