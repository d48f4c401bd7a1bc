type GrowableArray = Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

/** The array itself, or a longer copy (at least twice as long) if `length` values do not fit. */
export function growArray<T extends GrowableArray>(array: T, length: number): T {
  if (length <= array.length) return array
  const Kind = array.constructor as new (length: number) => T
  const next = new Kind(Math.max(length, array.length * 2, 1024))
  next.set(array)
  return next
}

/** Upper limit for what a host says about its size: more room is made when the cards arrive. */
const MAX_EXPECTED = 2_000_000

/** How many cards to make room for when a host announces a number, whatever that is. */
export const clampExpectedCount = (total: number): number => Math.max(0, Math.min(Math.floor(total), MAX_EXPECTED))
