type Measured = { readonly width: number; readonly height: number } | 'more' | null

/** Enough bytes for the longest header of a codestream. */
const HEAD = 14

/** The size in the header of a JPEG XL (ISO/IEC 18181-1 §D.2), bare or in its container (18181-2). */
export function jpegXl(bytes: Buffer): Measured {
  if (bytes.length < 2) return 'more'
  if (bytes.readUInt16BE(0) === 0xff0a) return codestream(bytes)
  for (let at = 0; at + 8 <= bytes.length;) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (type === 'jxlc') return codestream(bytes.subarray(at + 8))
    // A codestream may be split into parts; each part begins with its number.
    if (type === 'jxlp') return codestream(bytes.subarray(at + 12))
    if (length < 8) return null
    at += length
  }
  return 'more'
}

/** Widths given as a ratio to the height. */
const ratios = [
  [1, 1],
  [12, 10],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
] as const

function codestream(bytes: Buffer): Measured {
  if (bytes.length < HEAD) return 'more'
  let at = 16
  /** The next bits, lowest first. */
  const read = (count: number): number => {
    let value = 0
    for (let bit = 0; bit < count; bit += 1, at += 1) value += (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) * 2 ** bit
    return value
  }
  const small = read(1) === 1
  const edge = (): number => (small ? (read(5) + 1) * 8 : read([9, 13, 18, 30][read(2)] ?? 9) + 1)
  const height = edge()
  const ratio = ratios[read(3) - 1]
  return { width: ratio ? Math.floor((height * ratio[0]) / ratio[1]) : edge(), height }
}
