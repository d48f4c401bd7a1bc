/** Size of an image in pixels. */
export interface PixelSize {
  readonly width: number
  readonly height: number
}

/**
 * The size according to the file; `more` if it lies beyond these bytes; null if the file does not
 * say it in a way that is read here.
 */
type Measured = PixelSize | 'more' | null

/**
 * Reads width and height from the first bytes of an image, without decoding it: the fixed headers
 * of PNG, GIF, BMP and WebP, the segments of a JPEG, the boxes of an AVIF and the entries of an
 * icon. The bytes are hostile, so nothing outside them is ever read. If a file holds several
 * pictures, returns the size of the largest, because that is what drawing it may cost.
 */
export function measureImage(mediaType: string, bytes: Buffer): Measured {
  const of = measures[mediaType]
  if (!of) return null
  const size = of(bytes)
  if (size === null || size === 'more') return size
  return size.width > 0 && size.height > 0 ? size : null
}

const measures: Readonly<Record<string, (bytes: Buffer) => Measured>> = {
  'image/png': (bytes) =>
    bytes.length < 24 ? 'more' : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) },
  'image/gif': (bytes) =>
    bytes.length < 10 ? 'more' : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) },
  'image/bmp': bmp,
  'image/avif': avif,
  'image/x-icon': icon,
  'image/jxl': jpegXl,
  'image/webp': webp,
  'image/jpeg': jpeg,
}

function bmp(bytes: Buffer): Measured {
  if (bytes.length < 26) return 'more'
  // The oldest header has two bytes each for width and height.
  if (bytes.readUInt32LE(14) === 12) return { width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20) }
  // A negative height means that the rows start at the top.
  return { width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) }
}

function webp(bytes: Buffer): Measured {
  if (bytes.length < 30) return 'more'
  const chunk = bytes.toString('latin1', 12, 16)
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (chunk === 'VP8L' && bytes[20] === 0x2f) {
    const packed = bytes.readUInt32LE(21)
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 }
  }
  if (chunk === 'VP8 ' && bytes.readUIntBE(23, 3) === 0x9d012a) {
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  }
  return null
}

const larger = (one: PixelSize | null, other: PixelSize): PixelSize =>
  one && one.width * one.height >= other.width * other.height ? one : other

/**
 * Boxes that lead to the one with the size, and how many bytes precede the boxes in them (ISO
 * 14496-12, ISO 23008-12).
 */
const holders: Readonly<Record<string, number>> = { meta: 4, iprp: 0, ipco: 0 }

function avif(bytes: Buffer): Measured {
  let size: PixelSize | null = null
  let propertiesEnd = Number.POSITIVE_INFINITY
  for (let at = 0; at + 8 <= bytes.length;) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    // 0 means up to the end of the file, 1 a length of eight bytes; both occur only on the box that
    // holds the picture itself.
    if (length < 8) return size
    if (type === 'ispe') {
      if (at + 20 > bytes.length) return 'more'
      size = larger(size, { width: bytes.readUInt32BE(at + 12), height: bytes.readUInt32BE(at + 16) })
    }
    if (type === 'ipco') propertiesEnd = at + length
    at += Object.hasOwn(holders, type) ? 8 + (holders[type] ?? 0) : length
    if (at >= propertiesEnd) return size
  }
  return 'more'
}

function icon(bytes: Buffer): Measured {
  if (bytes.length < 6) return 'more'
  const count = bytes.readUInt16LE(4)
  if (bytes.length < 6 + count * 16) return 'more'
  let size: PixelSize | null = null
  for (let entry = 0; entry < count; entry += 1) {
    const at = 6 + entry * 16
    size = larger(size, { width: bytes[at] || 256, height: bytes[at + 1] || 256 })
    // An entry may be a PNG of any size, whatever the directory says.
    const png = bytes.readUInt32LE(at + 12)
    if (png + 24 > bytes.length) continue
    if (bytes.readUInt32BE(png) === 0x89504e47) {
      size = larger(size, { width: bytes.readUInt32BE(png + 16), height: bytes.readUInt32BE(png + 20) })
    }
  }
  return size
}

/** From this Exif orientation on, the picture is turned on its side. */
const FIRST_ROTATED_ORIENTATION = 5

function jpeg(bytes: Buffer): Measured {
  let at = 2
  let orientation = 1
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1] ?? 0
    // Fill bytes, and markers without a segment.
    if (marker === 0xff) at += 1
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else if (isFrame(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)]
      return orientation >= FIRST_ROTATED_ORIENTATION ? { width: height, height: width } : { width, height }
    } else if (marker === 0xda || marker === 0xd9) return null
    else {
      const length = bytes.readUInt16BE(at + 2)
      if (length < 2) return null
      if (marker === 0xe1) orientation = orientationOf(bytes.subarray(at + 4, at + 2 + length)) ?? orientation
      at += 2 + length
    }
  }
  return 'more'
}

const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/**
 * The orientation in an Exif segment: browsers rotate the picture accordingly, so its natural size
 * is the rotated one.
 */
function orientationOf(segment: Buffer): number | null {
  if (segment.length < 14 || segment.toString('latin1', 0, 6) !== 'Exif\0\0') return null
  const tiff = segment.subarray(6)
  const little = tiff.toString('latin1', 0, 2) === 'II'
  const u16 = (at: number): number =>
    at + 2 > tiff.length ? 0 : little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at)
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  const count = u16(directory)
  for (let entry = 0; entry < count; entry += 1) {
    const at = directory + 2 + entry * 12
    if (at + 12 > tiff.length) return null
    if (u16(at) === 0x0112) return u16(at + 8)
  }
  return null
}

/** Enough bytes for the longest header of a codestream. */
const HEAD = 14

/**
 * The size in the header of a JPEG XL (ISO/IEC 18181-1 §D.2), bare or in its container (18181-2).
 */
function jpegXl(bytes: Buffer): Measured {
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
