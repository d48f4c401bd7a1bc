import { crc32, deflateSync } from 'node:zlib'
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

/** Whether a picture can be kept without its metadata, and replaced by a grey one. */
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
 * Removes what a picture says besides its pixels: comments, dates, places, thumbnails.
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

/** Chunks that a picture needs to look the same. */
const PNG_CHUNKS: ReadonlySet<string> = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB cICP sBIT bKGD pHYs acTL fcTL fdAT'.split(' '),
)

function filterPng(buffer: Buffer): Buffer | null {
  const parts: Buffer[] = [PNG_SIGNATURE]
  for (let offset = PNG_SIGNATURE.length; offset + 12 <= buffer.length;) {
    const end = offset + 12 + buffer.readUInt32BE(offset)
    const type = buffer.toString('latin1', offset + 4, offset + 8)
    if (end > buffer.length) return null
    if (PNG_CHUNKS.has(type)) parts.push(buffer.subarray(offset, end))
    if (type === 'IEND') return Buffer.concat(parts)
    offset = end
  }
  return null
}

/** Of the application segments only those of JFIF and Adobe say how to decode the picture. */
const isKeptJpegSegment = (marker: number): boolean =>
  marker === 0xe0 || marker === 0xee || (marker < 0xe0 && marker !== 0xfe)

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
    if (isKeptJpegSegment(marker)) parts.push(buffer.subarray(offset, end))
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

const WEBP_CHUNKS: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF'])
/** Bits of the head that announce a color profile, Exif and XMP. */
const WEBP_METADATA_FLAGS = 0x2c

function filterWebp(buffer: Buffer): Buffer | null {
  const parts: Buffer[] = []
  for (let offset = 12; offset + 8 <= buffer.length;) {
    const length = buffer.readUInt32LE(offset + 4)
    const end = offset + 8 + length + (length % 2)
    if (end > buffer.length) return null
    const type = buffer.toString('latin1', offset, offset + 4)
    const chunk = Buffer.from(buffer.subarray(offset, end))
    if (type === 'VP8X' && chunk.length > 8) chunk[8] = (chunk[8] ?? 0) & ~WEBP_METADATA_FLAGS
    if (WEBP_CHUNKS.has(type)) parts.push(chunk)
    offset = end
  }
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...parts])
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1')
  head.writeUInt32LE(body.length, 4)
  return parts.length === 0 ? null : Buffer.concat([head, body])
}
