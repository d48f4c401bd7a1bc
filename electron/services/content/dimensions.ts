/** Pixels of an image. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** The size as the file says it; `more` = it lies beyond these bytes; null = the file does not say it in a way that is read here. */
export type Measured = Size | 'more' | null

/**
 * Width and height out of the first bytes of an image, without decoding it. Reads the fixed headers of PNG, GIF, BMP and WebP and
 * walks the segments of a JPEG; the bytes are hostile, so nothing outside of them is ever looked at.
 */
export function measure(mediaType: string, bytes: Buffer): Measured {
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
  // A negative height says that the rows begin at the top.
  'image/bmp': (bytes) =>
    bytes.length < 26 ? 'more' : { width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) },
  'image/webp': webp,
  'image/jpeg': jpeg,
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

/** Orientations of Exif that lay the picture on its side. */
const LYING = 5

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
      return orientation >= LYING ? { width: height, height: width } : { width, height }
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

/** The orientation in an Exif segment: browsers turn the picture by it, so its natural size is the turned one. */
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
