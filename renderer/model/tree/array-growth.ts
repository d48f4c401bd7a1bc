type GrowableArray =
  | Float64Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>

/** A copy has at least twice the length, so that repeated growing takes linear time. */
export function growArray<T extends GrowableArray>(array: T, length: number): T {
  if (length <= array.length) return array
  const ArrayType = array.constructor as new (length: number) => T
  const copy = new ArrayType(Math.max(length, array.length * 2, 1024))
  copy.set(array)
  return copy
}

/** Memory is reserved for at most this many announced cards; the arrays grow beyond that. */
const MAX_EXPECTED_CARDS = 2_000_000

/** Limits the number of cards that a host announces, before memory is reserved for them. */
export function clampExpectedCardCount(total: number): number {
  return Math.max(0, Math.min(Math.floor(total), MAX_EXPECTED_CARDS))
}
