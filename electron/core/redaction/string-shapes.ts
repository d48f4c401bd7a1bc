import { looksLikeId, narrowFormats, toFormats } from '../../../shared/contract/string-traits.ts'
import { computeEditDistance } from '../contract/edit-distance.ts'
import { contractNames, contractWords, type StringKind } from './member-kinds.ts'

const MAX_ID_CHARS = 200
const MAX_WORD_CHARS = 40
const ID_CHARACTERS = /^[\w.:~@+=-]+$/
const WORD = /^[a-z][A-Za-z]*(?:[-_./][a-z][A-Za-z]*)*$|^[A-Z]{3,8}$/
const VERSION = /^[\w.+-]+$/
/** Other media types are texts: anybody may declare any. */
const mediaTypes: ReadonlySet<string> = new Set(
  Object.entries({
    application:
      'json ld+json problem+json manifest+json x-ndjson jsonl xml xhtml+xml pdf zip gzip epub+zip rtf octet-stream javascript wasm x-www-form-urlencoded',
    text: 'plain html css csv markdown javascript xml event-stream calendar vcard',
    image: 'png apng jpeg gif webp avif bmp heic heif jxl svg+xml tiff x-icon vnd.microsoft.icon',
    audio: 'mpeg mp4 ogg wav webm aac flac x-m4a',
    video: 'mpeg mp4 ogg webm quicktime',
    font: 'woff woff2 ttf otf',
    multipart: 'form-data mixed byteranges',
  }).flatMap(([type, names]) => names.split(' ').map((name) => `${type}/${name}`)),
)
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const HEX = /^[0-9a-f]+$/i
const NUMBER = /^[+-]?\d{1,40}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/
/** Programs send these in place of a number or a flag. */
const NUMBER_WORD = /^(?:true|false|null|undefined|NaN|-?Infinity)$/

const INNER_IDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b/gi

/** Replaces the ids within a text, such as that of a link to a card. */
export function replaceInnerIds(text: string, replace: (id: string) => string): string {
  return text.replace(INNER_IDS, (id) => replace(id))
}

const UUID_CHARS = 36
export function isUuid(text: string): boolean {
  return text.length === UUID_CHARS && UUID.test(text)
}
export function isNumberText(text: string): boolean {
  return NUMBER.test(text)
}
/** A number or flag as programs write it, also if they should not have sent it. */
export function isNumberOrFlag(text: string): boolean {
  return NUMBER.test(text) || NUMBER_WORD.test(text)
}
export function isWord(text: string): boolean {
  return contractWords.has(text) || (text.length <= MAX_WORD_CHARS && WORD.test(text))
}
/** Codes that nobody knows may be texts. */
export function isErrorCode(text: string): boolean {
  return contractWords.has(text)
}
/** The name of an application: up to four words of letters. */
export function isProgramName(text: string): boolean {
  return text.length <= MAX_WORD_CHARS && /^[A-Za-z]+(?:[ -][A-Za-z]+){0,3}$/.test(text)
}
export function isMediaType(text: string): boolean {
  return mediaTypes.has(text)
}

/** A shorter name may be another word; with this length, so may one with another letter. */
const MIN_MISSPELLED_CHARS = 4
const MAX_MISSPELLED_CHARS = 40
/** Longer names may have two typos. */
const MIN_CHARS_OF_TWO_TYPOS = 9
const namesByLength = Map.groupBy(
  [...contractNames, ...contractWords].filter((name) => name.length >= MIN_MISSPELLED_CHARS),
  ({ length }) => length,
)

/** A host may send as many names as it likes, so only so many are remembered. */
const MAX_REMEMBERED = 5_000
const remembered = new Map<string, boolean>()

/** Names with a typo count too, because a finding is about them. */
export function isNearContractName(name: string): boolean {
  if (contractNames.has(name) || contractWords.has(name)) return true
  if (!/^[A-Za-z_-]+$/.test(name) || name.length < MIN_MISSPELLED_CHARS || name.length > MAX_MISSPELLED_CHARS)
    return false
  const isNear = remembered.get(name) ?? isMisspelled(name)
  if (remembered.size < MAX_REMEMBERED) remembered.set(name, isNear)
  return isNear
}

function isMisspelled(name: string): boolean {
  const maxTypos = name.length >= MIN_CHARS_OF_TWO_TYPOS ? 2 : 1
  const lengths = Array.from({ length: maxTypos * 2 + 1 }, (_, index) => name.length - maxTypos + index)
  return lengths.some(
    (length) =>
      (length !== name.length || length > MIN_MISSPELLED_CHARS) &&
      namesByLength.get(length)?.some((other) => computeEditDistance(name, other) <= maxTypos) === true,
  )
}

export function isLooseId(text: string): boolean {
  return UUID.test(text) || (looksLikeId(text) && isId(text))
}

export function isId(text: string): boolean {
  return isUuid(text) || (text.length <= MAX_ID_CHARS && ID_CHARACTERS.test(text) && !isReadableWhenDecoded(text))
}
export function isIdOfKind(text: string, kind: StringKind): boolean {
  return kind === 'id' ? isId(text) : kind === 'looseId' ? isLooseId(text) : isUuid(text)
}
export function isOpaque(text: string): boolean {
  return text.length <= MAX_ID_CHARS && VERSION.test(text) && /\d/.test(text) && !isReadableWhenDecoded(text)
}

const TIME_FORMATS = toFormats('date-time', 'date')

export function isTimeOrNumber(text: string): boolean {
  if (NUMBER.test(text)) return true
  return narrowFormats(TIME_FORMATS, text) !== 0
}

/** Many shorter texts are readable by chance. */
const MIN_BASE64_CHARS = 12
const MIN_HEX_CHARS = 16
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/
/** Western texts have at least this share of ASCII bytes in any encoding; random bytes a third. */
const MIN_READABLE_SHARE = 0.85

/** Decodes base64 in either alphabet; null if the text is none. */
export function decodeBase64(text: string): Uint8Array | null {
  const digitCount = text.replace(/={1,2}$/, '').length
  return BASE64.test(text) && digitCount % 4 !== 1 ? Buffer.from(text, 'base64') : null
}

/** Encodes bytes in the alphabet of `like`, and with its padding. */
export function encodeBase64Like(bytes: Uint8Array, like: string): string {
  const encoded = Buffer.from(bytes).toString('base64')
  const isUrlSafe = /[-_]/.test(like) || !/[+/]/.test(like)
  const text = isUrlSafe && !like.endsWith('=') ? encoded.replace(/\+/g, '-').replace(/\//g, '_') : encoded
  return like.endsWith('=') || (like.length % 4 === 0 && text.endsWith('=') && !isUrlSafe)
    ? text
    : text.replace(/={1,2}$/, '')
}

/** The text is base64 or hex of a text, which would be no less readable. */
export function isReadableWhenDecoded(text: string): boolean {
  if (text.length < MIN_BASE64_CHARS || isUuid(text) || NUMBER.test(text)) return false
  const isHex = HEX.test(text)
  if (isHex && text.length < MIN_HEX_CHARS) return false
  if (isHex) return text.length % 2 === 0 && isReadable(Buffer.from(text, 'hex'))
  const bytes = decodeBase64(text)
  return bytes !== null && isReadable(bytes)
}

function isReadable(bytes: Uint8Array): boolean {
  let printable = 0
  let zeros = 0
  for (const byte of bytes) {
    if (byte === 0) zeros += 1
    else if ((byte >= 32 && byte < 127) || byte === 10) printable += 1
  }
  // Every other byte of most texts in UTF-16 is zero.
  if (zeros >= bytes.length * 0.4) return zeros < bytes.length * 0.6
  if (printable >= bytes.length * MIN_READABLE_SHARE) return true
  return isUtf8Text(bytes)
}

function isUtf8Text(bytes: Uint8Array): boolean {
  if (!canBeUtf8Text(bytes)) return false
  try {
    return !/[\0-\x08\x0e-\x1f\x7f-\x9f]/.test(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return false
  }
}

/** Sorts out random bytes, which most ids are: each of them would cost the decoder an error. */
function canBeUtf8Text(bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    const further = byte < 0xc2 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
    if (further === 0 && (byte >= 0x7f || (byte < 32 && (byte < 9 || byte > 13)))) return false
    for (let count = 0; count < further; count += 1) {
      index += 1
      if (((bytes[index] ?? 0) & 0xc0) !== 0x80) return false
    }
  }
  return true
}
