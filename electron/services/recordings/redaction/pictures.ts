import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { lookUp } from '../../../../shared/json/object.ts'
import { findPictureType } from '../../../core/redaction/body-treatment.ts'
import { encodeExif, readExif, type PixelSize } from '../../media/exif.ts'
import { EXIF_HEAD, measureShownImage } from '../../media/image-size.ts'
import { blankAvifMetadata } from './avif-metadata.ts'
import { blankProfileTexts } from './color-profile.ts'

/** A larger picture is dropped: its size comes from a header that anybody may have written. */
const MAX_PIXELS = 120_000_000
const GREY_LEVEL = 0x9a
const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Creates a grey PNG as large as a picture that begins with `start`; null if unknown or huge. */
export function createGreyPicture(start: Uint8Array): Buffer | null {
  const size = measurePicture(start)
  return size && encodeGrey(size)
}

function measurePicture(start: Uint8Array): PixelSize | null {
  const type = findPictureType(start)
  const size = type === null ? null : measureShownImage(type, Buffer.from(start.buffer, start.byteOffset, start.length))
  return size === null || size === 'more' || size.width * size.height > MAX_PIXELS ? null : size
}

/** True if the metadata can be removed, and the picture replaced by a grey one. */
export function isUsablePicture(bytes: Uint8Array): boolean {
  return removeMetadata(bytes) !== null && measurePicture(bytes) !== null
}

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
 * needed to show it alike stays: which side is up, its density, its colors and its animation.
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
    case 'image/gif':
      return filterGif(buffer)
    case 'image/avif':
      return blankAvifMetadata(buffer)
    default:
      return null
  }
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
  mDCV: 24,
  cLLI: 8,
  acTL: 8,
  fcTL: 26,
  IDAT: Infinity,
  fdAT: Infinity,
}
const MAX_PROFILE_BYTES = 16_777_216

/** Renames the profile, which anybody may have named. A damaged one has no colors. */
function filterPngProfile(data: Buffer): Buffer[] {
  const start = data.indexOf(0) + 2
  if (start < 2) return []
  try {
    const profile = inflateSync(data.subarray(start), { maxOutputLength: MAX_PROFILE_BYTES })
    const packed = deflateSync(blankProfileTexts(profile))
    return [encodeChunk('iCCP', Buffer.concat([Buffer.from('ICC\0\0'), packed]))]
  } catch {
    return []
  }
}

function filterPng(buffer: Buffer): Buffer | null {
  const parts: Buffer[] = [PNG_SIGNATURE]
  for (let offset = PNG_SIGNATURE.length; offset + 12 <= buffer.length;) {
    const end = offset + 12 + buffer.readUInt32BE(offset)
    const type = buffer.toString('latin1', offset + 4, offset + 8)
    if (end > buffer.length) return null
    const data = buffer.subarray(offset + 8, end - 4)
    if (data.length <= (lookUp(pngChunkBytes, type) ?? -1)) parts.push(buffer.subarray(offset, end))
    if (type === 'iCCP') parts.push(...filterPngProfile(data))
    const exif = type === 'eXIf' ? encodeExif(readExif(data)) : null
    if (exif) parts.push(encodeChunk(type, exif))
    if (type === 'IEND') return Buffer.concat([...parts, encodeChunk(type, Buffer.alloc(0))])
    offset = end
  }
  return null
}

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
    const exif = encodeExif(readExif(segment.subarray(4 + EXIF_HEAD.length)))
    return exif && encodeSegment(marker, Buffer.concat([Buffer.from(EXIF_HEAD, 'latin1'), exif]))
  }
  if (isProfileSegment(marker, segment)) return segment
  // It says how to decode the colors.
  if (marker === 0xee && starts('Adobe') && segment.length >= ADOBE_BYTES)
    return encodeSegment(marker, segment.subarray(4, ADOBE_BYTES))
  return null
}

/** Identifier, number of the segment and count of segments follow marker and length. */
const PROFILE_HEAD_BYTES = 18

const isProfileSegment = (marker: number, segment: Buffer): boolean =>
  marker === 0xe2 && segment.length > PROFILE_HEAD_BYTES && segment.toString('latin1', 4, 16) === 'ICC_PROFILE\0'

/** A profile may be longer than a segment, so its segments are changed together, in their order. */
function blankJpegProfile(segments: readonly Buffer[]): Buffer[] {
  const profiles = segments
    .filter((segment) => isProfileSegment(segment[1] ?? 0, segment))
    .sort((first, second) => (first[16] ?? 0) - (second[16] ?? 0))
  const profile = blankProfileTexts(Buffer.concat(profiles.map((segment) => segment.subarray(PROFILE_HEAD_BYTES))))
  let offset = 0
  const blanked = new Map(
    profiles.map((segment) => {
      const end = offset + segment.length - PROFILE_HEAD_BYTES
      const bytes = Buffer.concat([segment.subarray(0, PROFILE_HEAD_BYTES), profile.subarray(offset, end)])
      offset = end
      return [segment, bytes] as const
    }),
  )
  return segments.map((segment) => blanked.get(segment) ?? segment)
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
    return Buffer.concat([...blankJpegProfile(parts), buffer.subarray(offset, pictureEnd)])
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

const WEBP_CHUNKS: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM'])
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
    if (type === 'ICCP') parts.push(encodeWebpChunk(type, blankProfileTexts(data)))
    const exif = type === 'EXIF' ? encodeExif(readExif(tiff)) : null
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

/** How often an animation runs. Every other extension of an application is its own. */
const GIF_LOOPS: ReadonlySet<string> = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0'])
const GIF_LOOP_BYTES = 19
const GIF_HEAD_BYTES = 13
const [GIF_EXTENSION, GIF_IMAGE, GIF_TRAILER] = [0x21, 0x2c, 0x3b]
const [GIF_CONTROL, GIF_APPLICATION] = [0xf9, 0xff]

function filterGif(buffer: Buffer): Buffer | null {
  if (buffer.length < GIF_HEAD_BYTES) return null
  let offset = GIF_HEAD_BYTES + measureGifColors(buffer[10] ?? 0)
  const parts = [buffer.subarray(0, offset)]
  while (offset < buffer.length && buffer[offset] !== GIF_TRAILER) {
    const isImage = buffer[offset] === GIF_IMAGE
    if (!isImage && buffer[offset] !== GIF_EXTENSION) return null
    // Descriptor, colors and code size of an image, or the label of an extension.
    const head = isImage ? 11 + measureGifColors(buffer[offset + 9] ?? 0) : 2
    const end = findGifBlocksEnd(buffer, offset + head)
    if (end === null) return null
    if (isImage || isShownGifExtension(buffer.subarray(offset, end))) parts.push(buffer.subarray(offset, end))
    offset = end
  }
  return Buffer.concat([...parts, Buffer.from([GIF_TRAILER])])
}

/** Returns the bytes of the table of colors that a packed field announces. */
const measureGifColors = (packed: number): number => (packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0)

function findGifBlocksEnd(buffer: Buffer, start: number): number | null {
  let offset = start
  while (offset < buffer.length && buffer[offset] !== 0) offset += 1 + (buffer[offset] ?? 0)
  return offset < buffer.length ? offset + 1 : null
}

function isShownGifExtension(extension: Buffer): boolean {
  if (extension[1] === GIF_CONTROL) return extension.length === 8
  const isLoop = GIF_LOOPS.has(extension.toString('latin1', 3, 14)) && extension.length === GIF_LOOP_BYTES
  return extension[1] === GIF_APPLICATION && isLoop
}
