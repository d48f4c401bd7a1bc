type Growable = Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

/** The array itself, or a longer copy (at least twice as long) if `length` values do not fit. */
export function grown<T extends Growable>(array: T, length: number): T {
  if (length <= array.length) return array
  const Kind = array.constructor as new (length: number) => T
  const next = new Kind(Math.max(length, array.length * 2, 1024))
  next.set(array)
  return next
}
