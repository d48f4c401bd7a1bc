import type { ContentKind } from '../../../shared/ipc/content.ts'
import type { PixelSize } from './exif.ts'
import { measureImage } from './image-size.ts'
import { parseMediaType, isTypeMismatch, toSentMediaType } from './media-type.ts'
/** Markup that a browser would show as a document is never sent as one. */
type TextKind = 'svg' | 'html' | 'xml' | 'json' | 'plain'

/**
 * Detects the kind of text at the beginning of a body; null if it is not text.
 * @param isComplete There are no further bytes.
 * @param isDeclaredText The host declares text. Without that, only Unicode encodings are accepted.
 */
function detectTextKind(bytes: Buffer, isComplete: boolean, isDeclaredText: boolean): TextKind | null {
  const text = decodeText(bytes, isComplete, isDeclaredText)
  if (text === null) return null
  const firstElement = skipProlog(text)
  if (/^<svg(?:[\s/>]|$)/i.test(firstElement) || /^<[\w.-]{1,40}:svg(?:[\s/>]|$)/i.test(firstElement)) return 'svg'
  if (
    /^<!doctype\s+html|^<(?:html|head|body|script|iframe|style|title|meta|link|div|p|table|h[1-6]|a|img|br)(?:[\s/>]|$)/i.test(
      firstElement,
    )
  )
    return 'html'
  if (/^\s*<\?xml/i.test(text)) return 'xml'
  return /^[[{]/.test(firstElement) ? 'json' : 'plain'
}

/** Control characters that do not occur in text. */
const BINARY_CHARACTERS = /[\0-\x08\x0e-\x1a\x1c-\x1f]/

function decodeText(bytes: Buffer, isComplete: boolean, isDeclaredText: boolean): string | null {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
  try {
    // With `stream`, the last character may be incomplete if more bytes follow.
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: !isComplete })
    return BINARY_CHARACTERS.test(text) ? null : text
  } catch {
    const text = bytes.toString('latin1')
    return isDeclaredText && encoding === 'utf-8' && !BINARY_CHARACTERS.test(text) ? text : null
  }
}

/** Skips declaration, comments, instructions and document type. */
function skipProlog(text: string): string {
  let rest = text
  for (let round = 0; round < 100; round += 1) {
    rest = rest.trimStart()
    const end = rest.startsWith('<!--')
      ? findEndOf(rest, '-->')
      : rest.startsWith('<?')
        ? findEndOf(rest, '?>')
        : /^<!doctype(?!\s+html)/i.test(rest)
          ? findDoctypeEnd(rest)
          : -1
    if (end < 0) return rest
    rest = rest.slice(end)
  }
  return rest
}

const findEndOf = (text: string, mark: string): number => {
  const index = text.indexOf(mark)
  return index < 0 ? -1 : index + mark.length
}

/** A document type may contain a subset in brackets, with `>` inside. */
function findDoctypeEnd(text: string): number {
  const bracket = text.indexOf('[')
  const close = text.indexOf('>')
  if (bracket < 0 || close < bracket) return close < 0 ? -1 : close + 1
  const inner = text.indexOf(']', bracket)
  const end = text.indexOf('>', inner)
  return inner < 0 || end < 0 ? -1 : end + 1
}

export interface SniffedContent {
  readonly kind: ContentKind
  readonly mediaType: string
  readonly isMismatch: boolean
  readonly size: PixelSize | null
  /** The usual extension of the detected type, without the dot. */
  readonly extension: string
  /** True if the picture's size lies in bytes that have not arrived yet. */
  readonly needsMoreBytes: boolean
}

const UNKNOWN_TYPE = 'application/octet-stream'
export const TEXT_TYPE = 'text/plain; charset=utf-8'
export const SVG_TYPE = 'image/svg+xml'

/** Number of bytes that are enough to recognise every supported type. */
export const SNIFF_BYTES = 4_100

/**
 * Determines the type of content from its bytes; the declared type is compared but never trusted.
 * Any text is sent as plain text, an SVG as an image (which runs and loads nothing), and anything
 * unknown as plain bytes.
 * @param isComplete There are no further bytes.
 */
export async function sniffContent(bytes: Buffer, isComplete: boolean, contentType: string): Promise<SniffedContent> {
  const declared = parseMediaType(contentType)
  const baseFields = { size: null, needsMoreBytes: false }
  const detected =
    hasUtf16Mark(bytes) && detectTextKind(bytes, isComplete, false) ? null : await detectByMagicNumber(bytes)
  // Magic numbers identify markup as XML at most; only the text shows which markup it is.
  const textKind =
    detected && detected.type !== 'application/xml'
      ? null
      : detectTextKind(bytes, isComplete, declared.startsWith('text/'))
  if (textKind !== null) {
    const markup = textKind === 'svg' || textKind === 'html' ? textKind : null
    const kind: ContentKind = textKind === 'svg' ? 'image' : bytes.byteLength === 0 ? chooseEmptyKind(declared) : 'text'
    const mediaType = textKind === 'svg' ? SVG_TYPE : kind === 'text' ? TEXT_TYPE : UNKNOWN_TYPE
    const isMismatch = bytes.byteLength > 0 && isTypeMismatch(declared, { kind, type: '', markup })
    return { ...baseFields, kind, mediaType, isMismatch, extension: TEXT_EXTENSIONS[textKind] }
  }
  if (!detected) {
    const isMismatch = isTypeMismatch(declared, { kind: 'binary', type: '', markup: null })
    return { ...baseFields, kind: 'binary', mediaType: UNKNOWN_TYPE, isMismatch, extension: 'bin' }
  }
  const tagBytes = measureId3Tag(bytes)
  if (tagBytes !== null && tagBytes + BYTES_AFTER_ID3 > bytes.byteLength && !isComplete)
    return describeTaggedSound(declared)
  const { kind, mediaType } = toSentMediaType(detected.type)
  const measured = kind === 'image' ? measureImage(mediaType, bytes) : null
  return {
    kind,
    mediaType,
    isMismatch: isTypeMismatch(declared, { kind, type: detected.type, markup: null }),
    size: measured === 'more' ? null : measured,
    extension: detected.extension,
    needsMoreBytes: measured === 'more' && !isComplete,
  }
}

/** Bytes after a tag that are needed to recognise the sound. */
const BYTES_AFTER_ID3 = 64

/**
 * Returns the length in bytes of the ID3 tag at the beginning; null if there is none. Pictures in a
 * tag may make it megabytes long, and any kind of sound may follow.
 */
function measureId3Tag(bytes: Buffer): number | null {
  if (bytes.byteLength < 10 || bytes.toString('latin1', 0, 3) !== 'ID3') return null
  // Only the lower seven bits of each byte count.
  return 10 + [6, 7, 8, 9].reduce((sum, index) => sum * 128 + ((bytes[index] ?? 0) & 127), 0)
}

/** Describes a sound by its tag alone: only a declared type that is no sound is a mismatch. */
function describeTaggedSound(declared: string): SniffedContent {
  const sentType = declared.startsWith('audio/') ? toSentMediaType(declared) : toSentMediaType('audio/mpeg')
  const isMismatch =
    !declared.startsWith('audio/') && isTypeMismatch(declared, { kind: 'audio', type: 'audio/mpeg', markup: null })
  return {
    ...sentType,
    isMismatch,
    size: null,
    extension: sentType.mediaType === 'audio/flac' ? 'flac' : 'mp3',
    needsMoreBytes: true,
  }
}

/** A UTF-16 byte order mark can also be the beginning of a frame of sound. */
const hasUtf16Mark = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

/** Markup is saved as plain text, so that opening the file runs nothing. */
const TEXT_EXTENSIONS = { svg: 'svg', html: 'txt', xml: 'xml', json: 'json', plain: 'txt' } as const

const chooseEmptyKind = (declared: string): ContentKind => (declared.startsWith('text/') ? 'text' : 'binary')

async function detectByMagicNumber(bytes: Buffer): Promise<{ type: string; extension: string } | null> {
  // Imported when the first content arrives, because lists and texts do not need it.
  const { fileTypeFromBuffer } = await import('file-type')
  try {
    const fileType = await fileTypeFromBuffer(bytes)
    return fileType ? { type: parseMediaType(fileType.mime), extension: fileType.ext } : null
  } catch {
    // The detector may throw on malformed bytes; their type is unknown then.
    return null
  }
}
