type Growable = Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

/** The same array, or one twice as long with the same content, so that `length` values fit. */
export function grown<T extends Growable>(array: T, length: number): T {
  if (length <= array.length) return array
  const Kind = array.constructor as new (length: number) => T
  const next = new Kind(Math.max(length, array.length * 2, 1024))
  next.set(array)
  return next
}
