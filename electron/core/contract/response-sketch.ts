import { hashText } from '../../../shared/format/text-hash.ts'
import type { ResponseCount } from '../../../shared/contract/json-schema.ts'

/** Up to this number, the count is exact; above it, an estimate. */
const MAX_HASHES = 32
const HASH_RANGE = 2 ** 32

/** Counts different responses by their smallest hashes. May be merged in any order. */
export interface ResponseSketch {
  /** Sorted in ascending order. */
  readonly hashes: number[]
  /** The hash added last, because a response is usually added many times in a row. */
  lastHash: number
}

export function createSketch(): ResponseSketch {
  return { hashes: [], lastHash: -1 }
}

export function addToSketch(sketch: ResponseSketch, hash: number): void {
  if (hash === sketch.lastHash) return
  sketch.lastHash = hash
  insertHash(sketch.hashes, hash)
}

function insertHash(hashes: number[], hash: number): void {
  const greatest = hashes.at(-1)
  if (greatest !== undefined && hashes.length === MAX_HASHES && hash >= greatest) return
  let [low, high] = [0, hashes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((hashes[middle] ?? 0) < hash) low = middle + 1
    else high = middle
  }
  if (hashes[low] === hash) return
  hashes.splice(low, 0, hash)
  if (hashes.length > MAX_HASHES) hashes.pop()
}

export function mergeSketch(target: ResponseSketch, source: ResponseSketch): void {
  for (const hash of source.hashes) insertHash(target.hashes, hash)
}

export function countResponses({ hashes }: Pick<ResponseSketch, 'hashes'>): ResponseCount {
  const greatest = hashes.at(-1)
  if (greatest === undefined || hashes.length < MAX_HASHES) return { count: hashes.length, isExact: true }
  return { count: Math.round(((MAX_HASHES - 1) * HASH_RANGE) / (greatest + 1)), isExact: false }
}

/** Returns an evenly distributed hash of 32 bits, which is the same in every run. */
export function hashResponseId(id: string): number {
  let hash = hashText(id)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
