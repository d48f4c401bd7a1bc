import type { ContentKind } from '../../../shared/ipc/content.ts'
import { measureImage, type PixelSize } from './image-size.ts'
import { parseMediaType, isTypeMismatch, toSentMediaType } from './media-type.ts'
import { detectTextKind } from './text-kind.ts'

/** What the first bytes of a content are. */
export interface SniffedContent {
  readonly kind: ContentKind
  readonly mediaType: string
  readonly isMismatch: boolean
  readonly size: PixelSize | null
  /** Without the dot; the usual one for the true type. */
  readonly extension: string
  /** The size is in bytes that have not arrived yet. */
  readonly needsMoreBytes: boolean
}

const UNKNOWN_TYPE = 'application/octet-stream'
export const TEXT_TYPE = 'text/plain; charset=utf-8'
export const SVG_TYPE = 'image/svg+xml'

/** Enough bytes to recognise every type that is known here. */
export const SNIFF_BYTES = 4_100

/**
 * What a content is, judged by its bytes; the declared type is compared, never trusted. Any text is
 * sent as plain text, an SVG as an image (which runs and loads nothing), and anything unknown as
 * plain bytes. `whole` means that there are no further bytes.
 */
export async function sniffContent(bytes: Buffer, whole: boolean, contentType: string): Promise<SniffedContent> {
  const declared = parseMediaType(contentType)
  const base = { size: null, needsMoreBytes: false }
  const magic = startsAsUtf16(bytes) && detectTextKind(bytes, whole, false) ? null : await byMagic(bytes)
  // Magic numbers identify markup as XML at most; only the text tells more.
  const text =
    magic && magic.type !== 'application/xml' ? null : detectTextKind(bytes, whole, declared.startsWith('text/'))
  if (text !== null) {
    const markup = text === 'svg' || text === 'html' ? text : null
    const kind: ContentKind = text === 'svg' ? 'image' : bytes.byteLength === 0 ? emptyKind(declared) : 'text'
    const mediaType = text === 'svg' ? SVG_TYPE : kind === 'text' ? TEXT_TYPE : UNKNOWN_TYPE
    const mismatch = bytes.byteLength > 0 && isTypeMismatch(declared, { kind, type: '', markup })
    return { ...base, kind, mediaType, isMismatch: mismatch, extension: extensions[text] }
  }
  if (!magic) {
    const mismatch = isTypeMismatch(declared, { kind: 'binary', type: '', markup: null })
    return { ...base, kind: 'binary', mediaType: UNKNOWN_TYPE, isMismatch: mismatch, extension: 'bin' }
  }
  const tag = lengthOfId3(bytes)
  if (tag !== null && tag + BEHIND_ID3 > bytes.byteLength && !whole) return soundBehindTag(declared)
  const { kind, mediaType } = toSentMediaType(magic.type)
  const measured = kind === 'image' ? measureImage(mediaType, bytes) : null
  return {
    kind,
    mediaType,
    isMismatch: isTypeMismatch(declared, { kind, type: magic.type, markup: null }),
    size: measured === 'more' ? null : measured,
    extension: magic.extension,
    needsMoreBytes: measured === 'more' && !whole,
  }
}

/** How many bytes after a tag are needed to recognise the sound it precedes. */
const BEHIND_ID3 = 64

/**
 * Length of the ID3 tag at the beginning, which pictures may make megabytes long and any kind of
 * sound may follow; null if there is none.
 */
function lengthOfId3(bytes: Buffer): number | null {
  if (bytes.byteLength < 10 || bytes.toString('latin1', 0, 3) !== 'ID3') return null
  // Seven bits of each byte count.
  return 10 + [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((bytes[at] ?? 0) & 127), 0)
}

/**
 * What is known about a sound while only its tag has arrived: its declared type cannot be wrong
 * yet, unless it is not a sound's.
 */
function soundBehindTag(declared: string): SniffedContent {
  const named = declared.startsWith('audio/') ? toSentMediaType(declared) : toSentMediaType('audio/mpeg')
  const mismatch =
    !declared.startsWith('audio/') && isTypeMismatch(declared, { kind: 'audio', type: 'audio/mpeg', markup: null })
  return {
    ...named,
    isMismatch: mismatch,
    size: null,
    extension: named.mediaType === 'audio/flac' ? 'flac' : 'mp3',
    needsMoreBytes: true,
  }
}

/** A UTF-16 byte order mark can also be the beginning of a frame of sound. */
const startsAsUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

/** Markup becomes plain text when it is saved, so that opening the file runs nothing. */
const extensions = { svg: 'svg', html: 'txt', xml: 'xml', json: 'json', plain: 'txt' } as const

const emptyKind = (declared: string): ContentKind => (declared.startsWith('text/') ? 'text' : 'binary')

async function byMagic(bytes: Buffer): Promise<{ type: string; extension: string } | null> {
  // Loaded with the first content: no list and no text needs it.
  const { fileTypeFromBuffer } = await import('file-type')
  try {
    const found = await fileTypeFromBuffer(bytes)
    return found ? { type: parseMediaType(found.mime), extension: found.ext } : null
  } catch {
    // Hostile bytes may confuse the detector; what it cannot recognise is unknown.
    return null
  }
}
