import { crc32, deflateSync } from 'node:zlib'
import { lookUp } from '../../../../shared/json/object.ts'
import { measureImage, type PixelSize } from '../../media/image-size.ts'

/** A larger picture is dropped: its size comes from a header that anybody may have written. */
const MAX_PIXELS = 120_000_000
const GREY_LEVEL = 0x9a
const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

const pictureTypes: readonly (readonly [start: RegExp, type: string])[] = [
  [/^\x89PNG/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^BM/, 'image/bmp'],
  [/^[^]{4}ftyp/, 'image/avif'],
  [/^\0\0\x01\0/, 'image/x-icon'],
  [/^(?:\xff\x0a|\0\0\0\x0cJXL )/, 'image/jxl'],
]

/** Returns the media type of a picture by its first bytes; null if it is none. */
export const findPictureType = (start: Uint8Array): string | null =>
  pictureTypes.find(([pattern]) => pattern.test(Buffer.from(start.subarray(0, 16)).toString('latin1')))?.[1] ?? null

/**
 * Creates a grey PNG of the size of a picture.
 * @param start the first bytes of the picture
 * @returns null if the size is unknown or out of reason
 */
export function createGreyPicture(start: Uint8Array): Buffer | null {
  const size = measurePicture(start)
  return size && encodeGrey(size)
}

function measurePicture(start: Uint8Array): PixelSize | null {
  const type = findPictureType(start)
  const size = type === null ? null : measureImage(type, Buffer.from(start.buffer, start.byteOffset, start.length))
  return size === null || size === 'more' || size.width * size.height > MAX_PIXELS ? null : size
}

/** True if the metadata can be removed, and the picture replaced by a grey one. */
export const isUsablePicture = (bytes: Uint8Array): boolean =>
  removeMetadata(bytes) !== null && measurePicture(bytes) !== null

/** One bit per pixel, all of them zero, in a palette with one color. */
function encodeGrey({ width, height }: PixelSize): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([1, 3, 0, 0, 0], 8)
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)))
  return Buffer.concat([
    PNG_SIGNATURE,
    encodeChunk('IHDR', header),
    encodeChunk('PLTE', Buffer.alloc(3, GREY_LEVEL)),
    encodeChunk('IDAT', deflateSync(rows)),
    encodeChunk('IEND', Buffer.alloc(0)),
  ])
}

function encodeChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  chunk.set(body, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return chunk
}

/**
 * Removes what a picture says besides its pixels: comments, dates, places, thumbnails. What is
 * needed to show it alike stays: which side is up, and the profile of its colors.
 * @returns null if that is not possible for its format, or if the file is damaged
 */
export function removeMetadata(bytes: Uint8Array): Buffer | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  switch (findPictureType(bytes)) {
    case 'image/png':
      return filterPng(buffer)
    case 'image/jpeg':
      return filterJpeg(buffer)
    case 'image/webp':
      return filterWebp(buffer)
    default:
      return null
  }
}

const ORIENTATION_TAG = 0x0112
const MAX_TIFF_ENTRIES = 1_000
/** TIFF with one entry, of which bytes 18 and 19 are the orientation. */
const ORIENTATION_TIFF = '49492a00080000000100120103000100000000000000' + '00000000'

/** Creates Exif that says nothing but which side is up; null if that is not said, or as usual. */
function keepOrientation(tiff: Buffer): Buffer | null {
  const orientation = readOrientation(tiff)
  if (orientation === null || orientation <= 1 || orientation > 8) return null
  const smallest = Buffer.from(ORIENTATION_TIFF, 'hex')
  smallest.writeUInt16LE(orientation, 18)
  return smallest
}

function readOrientation(tiff: Buffer): number | null {
  if (tiff.length < 8) return null
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const read16 = (offset: number): number => (isLittle ? tiff.readUInt16LE(offset) : tiff.readUInt16BE(offset))
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (start + 2 > tiff.length) return null
  const count = Math.min(read16(start), MAX_TIFF_ENTRIES)
  for (let offset = start + 2; offset + 12 <= tiff.length && offset < start + 2 + count * 12; offset += 12)
    if (read16(offset) === ORIENTATION_TAG) return read16(offset + 8)
  return null
}

/** Chunks that a picture needs to look the same, with the most bytes that they can need. */
const pngChunkBytes: Readonly<Record<string, number>> = {
  IHDR: 13,
  PLTE: 768,
  tRNS: 256,
  gAMA: 4,
  cHRM: 32,
  sRGB: 1,
  cICP: 4,
  sBIT: 4,
  bKGD: 6,
  pHYs: 9,
  acTL: 8,
  fcTL: 26,
  IDAT: Infinity,
  fdAT: Infinity,
}

function filterPng(buffer: Buffer): Buffer | null {
  const parts: Buffer[] = [PNG_SIGNATURE]
  for (let offset = PNG_SIGNATURE.length; offset + 12 <= buffer.length;) {
    const end = offset + 12 + buffer.readUInt32BE(offset)
    const type = buffer.toString('latin1', offset + 4, offset + 8)
    if (end > buffer.length) return null
    const data = buffer.subarray(offset + 8, end - 4)
    if (data.length <= (lookUp(pngChunkBytes, type) ?? -1)) parts.push(buffer.subarray(offset, end))
    // The profile has a name, which anybody may have chosen.
    if (type === 'iCCP' && data.includes(0))
      parts.push(encodeChunk(type, Buffer.concat([Buffer.from('ICC'), data.subarray(data.indexOf(0))])))
    const exif = type === 'eXIf' ? keepOrientation(data) : null
    if (exif) parts.push(encodeChunk(type, exif))
    if (type === 'IEND') return Buffer.concat([...parts, encodeChunk(type, Buffer.alloc(0))])
    offset = end
  }
  return null
}

const EXIF_HEAD = 'Exif\0\0'
/** Marker and length, identifier with its zero, version, density, and no thumbnail. */
const JFIF_BYTES = 18
/** Marker and length, identifier, version, flags and color transform. */
const ADOBE_BYTES = 16

/** Returns what stays of a segment before the scans; null if nothing does. */
function keepJpegSegment(marker: number, segment: Buffer): Buffer | null {
  const starts = (text: string): boolean => segment.toString('latin1', 4, 4 + text.length) === text
  if (marker < 0xe0) return segment
  if (marker === 0xe0 && starts('JFIF\0') && segment.length >= JFIF_BYTES) {
    const head = encodeSegment(marker, segment.subarray(4, JFIF_BYTES))
    head.fill(0, JFIF_BYTES - 2)
    return head
  }
  if (marker === 0xe1 && starts(EXIF_HEAD)) {
    const exif = keepOrientation(segment.subarray(4 + EXIF_HEAD.length))
    return exif && encodeSegment(marker, Buffer.concat([Buffer.from(EXIF_HEAD, 'latin1'), exif]))
  }
  if (marker === 0xe2 && starts('ICC_PROFILE\0')) return segment
  // It says how to decode the colors.
  if (marker === 0xee && starts('Adobe') && segment.length >= ADOBE_BYTES)
    return encodeSegment(marker, segment.subarray(4, ADOBE_BYTES))
  return null
}

function encodeSegment(marker: number, data: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}

function filterJpeg(buffer: Buffer): Buffer | null {
  const parts = [buffer.subarray(0, 2)]
  for (let offset = 2; offset + 4 <= buffer.length;) {
    if (buffer[offset] !== 0xff) return null
    const marker = buffer[offset + 1] ?? 0
    if (marker === 0xff) {
      offset += 1
      continue
    }
    const end = offset + 2 + buffer.readUInt16BE(offset + 2)
    if (end > buffer.length) return null
    const segment = keepJpegSegment(marker, buffer.subarray(offset, end))
    if (segment) parts.push(segment)
    offset = end
    if (marker !== 0xda) continue
    const pictureEnd = findJpegEnd(buffer, offset)
    if (pictureEnd === null) return null
    parts.push(buffer.subarray(offset, pictureEnd))
    return Buffer.concat(parts)
  }
  return null
}

/** Returns the index after the end marker; a progressive picture has segments among its scans. */
function findJpegEnd(buffer: Buffer, start: number): number | null {
  for (let offset = buffer.indexOf(0xff, start); offset >= 0; offset = buffer.indexOf(0xff, offset)) {
    const marker = buffer[offset + 1] ?? 0
    if (marker === 0xd9) return offset + 2
    const isSegment = marker > 0xc0 && marker !== 0xff && !(marker >= 0xd0 && marker <= 0xd8)
    if (marker >= 0xe0 && marker !== 0xff) return null
    offset += isSegment && offset + 4 <= buffer.length ? 2 + buffer.readUInt16BE(offset + 2) : marker === 0xff ? 1 : 2
  }
  return null
}

const WEBP_CHUNKS: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ICCP'])
/** Bits of the head that announce Exif and XMP. */
const WEBP_EXIF_FLAG = 0x08
const WEBP_METADATA_FLAGS = 0x0c
/** Place, size and duration of a frame stand before its chunks. */
const WEBP_FRAME_BYTES = 16

function filterWebp(buffer: Buffer): Buffer | null {
  const parts = filterWebpChunks(buffer, 12)
  if (parts === null || parts.length === 0) return null
  const hasExif = parts.some((part) => part.toString('latin1', 0, 4) === 'EXIF')
  const [first] = parts
  if (first?.toString('latin1', 0, 4) === 'VP8X' && first.length > 8)
    first[8] = ((first[8] ?? 0) & ~WEBP_METADATA_FLAGS) | (hasExif ? WEBP_EXIF_FLAG : 0)
  return encodeWebpChunk('RIFF', Buffer.concat([Buffer.from('WEBP', 'latin1'), ...parts]))
}

/** @returns null for a damaged file */
function filterWebpChunks(buffer: Buffer, start: number): Buffer[] | null {
  const parts: Buffer[] = []
  for (let offset = start; offset + 8 <= buffer.length;) {
    const end = offset + 8 + buffer.readUInt32LE(offset + 4)
    if (end > buffer.length) return null
    const type = buffer.toString('latin1', offset, offset + 4)
    const data = buffer.subarray(offset + 8, end)
    if (WEBP_CHUNKS.has(type)) parts.push(encodeWebpChunk(type, data))
    if (type === 'ANMF') {
      const frame = data.length < WEBP_FRAME_BYTES ? null : filterWebpChunks(data, WEBP_FRAME_BYTES)
      if (frame === null) return null
      parts.push(encodeWebpChunk(type, Buffer.concat([data.subarray(0, WEBP_FRAME_BYTES), ...frame])))
    }
    const tiff = data.toString('latin1', 0, EXIF_HEAD.length) === EXIF_HEAD ? data.subarray(EXIF_HEAD.length) : data
    const exif = type === 'EXIF' ? keepOrientation(tiff) : null
    if (exif) parts.push(encodeWebpChunk(type, exif))
    offset = end + (data.length % 2)
  }
  return parts
}

function encodeWebpChunk(type: string, data: Uint8Array): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}
