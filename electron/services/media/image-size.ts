import { readExif, scaleByExif, turnByExif, type Exif, type PixelSize } from './exif.ts'

/** A size; `more` if it lies beyond these bytes; null if absent or of an unsupported format. */
type MeasuredSize = PixelSize | 'more' | null

/**
 * Reads width and height from the first bytes of an image without decoding it: the fixed headers of
 * PNG, GIF, BMP and WebP, the segments of a JPEG, the boxes of an AVIF and the entries of an icon.
 * The bytes are untrusted, so every offset is checked. If a file holds several pictures, returns
 * the largest size, because memory use depends on it. A picture that browsers turn has the size
 * that it has then.
 */
export function measureImage(mediaType: string, bytes: Buffer): MeasuredSize {
  const image = measureUpright(mediaType, bytes)
  return image === null || image === 'more' ? image : turnByExif(image, image.exif ?? NO_EXIF)
}

/** Like `measureImage`, but in the units in which browsers show a picture of high density. */
export function measureShownImage(mediaType: string, bytes: Buffer): MeasuredSize {
  const image = measureUpright(mediaType, bytes)
  if (image === null || image === 'more') return image
  const exif = image.exif ?? NO_EXIF
  // Chromium takes the density from JPEG alone.
  return turnByExif(mediaType === 'image/jpeg' ? scaleByExif(image, exif) : image, exif)
}

/** A picture before it is turned by its Exif. */
type MeasuredImage = (PixelSize & { readonly exif?: Exif }) | 'more' | null

const NO_EXIF: Exif = { entries: [], subEntries: [] }

function measureUpright(mediaType: string, bytes: Buffer): MeasuredImage {
  const image = MEASURERS[mediaType]?.(bytes) ?? null
  if (image === null || image === 'more') return image
  return image.width > 0 && image.height > 0 ? image : null
}

const MEASURERS: Readonly<Record<string, (bytes: Buffer) => MeasuredImage>> = {
  'image/png': measurePng,
  'image/gif': (bytes) =>
    bytes.length < 10 ? 'more' : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) },
  'image/bmp': measureBmp,
  'image/avif': measureAvif,
  'image/x-icon': measureIcon,
  'image/jxl': measureJpegXl,
  'image/webp': measureWebp,
  'image/jpeg': measureJpeg,
}

function measurePng(bytes: Buffer): MeasuredImage {
  if (bytes.length < 24) return 'more'
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  // A browser shows the picture by what precedes its pixels.
  for (let offset = 8; offset + 12 <= bytes.length;) {
    const type = bytes.toString('latin1', offset + 4, offset + 8)
    const end = offset + 8 + bytes.readUInt32BE(offset)
    if (type === 'IDAT' || end > bytes.length) break
    if (type === 'eXIf') return { ...size, exif: readExif(bytes.subarray(offset + 8, end)) }
    offset = end + 4
  }
  return size
}

function measureBmp(bytes: Buffer): MeasuredSize {
  if (bytes.length < 26) return 'more'
  // The oldest header has two bytes each for width and height.
  if (bytes.readUInt32LE(14) === 12) return { width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20) }
  // A negative height means that the rows start at the top.
  return { width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) }
}

function measureWebp(bytes: Buffer): MeasuredSize {
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

const chooseLarger = (first: PixelSize | null, second: PixelSize): PixelSize =>
  first && first.width * first.height >= second.width * second.height ? first : second

/** Bytes before the first child of boxes around the size. @see ISO 14496-12, ISO 23008-12 */
const CONTAINER_BOXES: Readonly<Record<string, number>> = { meta: 4, iprp: 0, ipco: 0 }

function measureAvif(bytes: Buffer): MeasuredSize {
  let size: PixelSize | null = null
  let isTurned = false
  let propertiesEnd = Number.POSITIVE_INFINITY
  for (let offset = 0; offset + 8 <= bytes.length;) {
    const length = bytes.readUInt32BE(offset)
    const type = bytes.toString('latin1', offset + 4, offset + 8)
    // 0 is up to the end of the file, 1 a length of eight bytes, both only for the outer box.
    if (length < 8) return size
    // One or three turns to the left.
    if (type === 'irot' && offset + 9 <= bytes.length) isTurned = ((bytes[offset + 8] ?? 0) & 1) === 1
    if (type === 'ispe') {
      if (offset + 20 > bytes.length) return 'more'
      size = chooseLarger(size, { width: bytes.readUInt32BE(offset + 12), height: bytes.readUInt32BE(offset + 16) })
    }
    if (type === 'ipco') propertiesEnd = offset + length
    offset += Object.hasOwn(CONTAINER_BOXES, type) ? 8 + (CONTAINER_BOXES[type] ?? 0) : length
    if (offset >= propertiesEnd) return size && isTurned ? { width: size.height, height: size.width } : size
  }
  return 'more'
}

function measureIcon(bytes: Buffer): MeasuredSize {
  if (bytes.length < 6) return 'more'
  const count = bytes.readUInt16LE(4)
  if (bytes.length < 6 + count * 16) return 'more'
  let size: PixelSize | null = null
  for (let entry = 0; entry < count; entry += 1) {
    const offset = 6 + entry * 16
    size = chooseLarger(size, { width: bytes[offset] || 256, height: bytes[offset + 1] || 256 })
    // An entry may be a PNG of any size, which may differ from the size in the directory.
    const pngOffset = bytes.readUInt32LE(offset + 12)
    if (pngOffset + 24 > bytes.length) continue
    if (bytes.readUInt32BE(pngOffset) === 0x89504e47) {
      size = chooseLarger(size, {
        width: bytes.readUInt32BE(pngOffset + 16),
        height: bytes.readUInt32BE(pngOffset + 20),
      })
    }
  }
  return size
}

/** It precedes the TIFF in a segment. */
export const EXIF_HEAD = 'Exif\0\0'

function measureJpeg(bytes: Buffer): MeasuredImage {
  let offset = 2
  let exif: Exif | null = null
  while (offset + 9 <= bytes.length) {
    if (bytes[offset] !== 0xff) return null
    const marker = bytes[offset + 1] ?? 0
    // The branches skip fill bytes and markers without a segment.
    if (marker === 0xff) offset += 1
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) offset += 2
    else if (isFrameMarker(marker)) {
      const [height, width] = [bytes.readUInt16BE(offset + 5), bytes.readUInt16BE(offset + 7)]
      return { width, height, exif: exif ?? NO_EXIF }
    } else if (marker === 0xda || marker === 0xd9) return null
    else {
      const length = bytes.readUInt16BE(offset + 2)
      if (length < 2) return null
      if (marker === 0xe1 && bytes.toString('latin1', offset + 4, offset + 4 + EXIF_HEAD.length) === EXIF_HEAD)
        exif ??= readExif(bytes.subarray(offset + 4 + EXIF_HEAD.length, offset + 2 + length))
      offset += 2 + length
    }
  }
  return 'more'
}

const isFrameMarker = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Length of the longest header of a codestream. */
const CODESTREAM_HEADER_BYTES = 14

/** A bare JPEG XL, or one in its container. @see ISO/IEC 18181-1 §D.2, 18181-2 */
function measureJpegXl(bytes: Buffer): MeasuredSize {
  if (bytes.length < 2) return 'more'
  if (bytes.readUInt16BE(0) === 0xff0a) return measureCodestream(bytes)
  for (let offset = 0; offset + 8 <= bytes.length;) {
    const length = bytes.readUInt32BE(offset)
    const type = bytes.toString('latin1', offset + 4, offset + 8)
    if (type === 'jxlc') return measureCodestream(bytes.subarray(offset + 8))
    // A codestream may be split into parts; each part begins with its number.
    if (type === 'jxlp') return measureCodestream(bytes.subarray(offset + 12))
    if (length < 8) return null
    offset += length
  }
  return 'more'
}

/** Aspect ratios (width, height) that the header refers to by number. */
const ASPECT_RATIOS = [
  [1, 1],
  [12, 10],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
] as const

function measureCodestream(bytes: Buffer): MeasuredSize {
  if (bytes.length < CODESTREAM_HEADER_BYTES) return 'more'
  let bitOffset = 16
  const readBits = (count: number): number => {
    let value = 0
    for (let bit = 0; bit < count; bit += 1, bitOffset += 1)
      value += (((bytes[bitOffset >> 3] ?? 0) >> (bitOffset & 7)) & 1) * 2 ** bit
    return value
  }
  const isSmall = readBits(1) === 1
  const readEdge = (): number => (isSmall ? (readBits(5) + 1) * 8 : readBits([9, 13, 18, 30][readBits(2)] ?? 9) + 1)
  const height = readEdge()
  const ratio = ASPECT_RATIOS[readBits(3) - 1]
  return { width: ratio ? Math.floor((height * ratio[0]) / ratio[1]) : readEdge(), height }
}
