type GrowableArray = Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

/** Returns the array, or a copy of at least twice the length if `length` values do not fit. */
export function growArray<T extends GrowableArray>(array: T, length: number): T {
  if (length <= array.length) return array
  const ArrayType = array.constructor as new (length: number) => T
  const copy = new ArrayType(Math.max(length, array.length * 2, 1024))
  copy.set(array)
  return copy
}

/** Limit for the count that a host announces; arrays grow further when the cards arrive. */
const MAX_EXPECTED_CARDS = 2_000_000

/** How many cards to reserve room for when a host announces a number, whatever it is. */
export const clampExpectedCardCount = (total: number): number =>
  Math.max(0, Math.min(Math.floor(total), MAX_EXPECTED_CARDS))
