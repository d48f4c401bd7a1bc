import type { StoredBody } from './exchange.ts'

/** Media types of text. A charset without one of them is followed as well. */
export const TEXT_MEDIA_TYPE = /^text\/|xml|javascript|markdown|;\s*charset\s*=/i
/** HTML and XML may name their charset at their beginning. */
const MARKUP_CHARSET = /<(?:meta|\?xml)\s[^<>]{0,200}?\b(?:charset|encoding)\s*=\s*["']?([\w.:-]{1,40})/i
const MAX_MARKUP_BYTES = 1_024
const CHARSET_PARAMETER = /;\s*charset\s*=\s*"?([^\s;"]{1,40})"?/i

/** No decoder knows the declared charset, JSON has none, or the bytes are no text in it. */
type CharsetProblem = 'unknown' | 'json' | 'untrue'

export interface BodyText {
  /** Null if the bytes are no text, neither in their charset nor in UTF-8. */
  readonly text: string | null
  /** The encoding of `text` as the WHATWG standard names it. */
  readonly encoding: string
  readonly problem: CharsetProblem | null
  /** The charset as declared; empty if none was. */
  readonly charset: string
}

type BodyFacts = Pick<StoredBody, 'mediaType' | 'missing'>

/**
 * Finds the encoding of a body: that of its byte order mark, of the declared charset (RFC 9110,
 * 8.3.2), or of its markup, otherwise UTF-8. JSON is UTF-8 whatever is declared (RFC 8259, 8.1),
 * and the charset says nothing about bytes that are still encoded.
 * @param start the first bytes, of markup at least the first kibibyte
 */
export function findBodyEncoding(start: Uint8Array, { mediaType, missing }: BodyFacts): Omit<BodyText, 'text'> {
  if (missing === 'encoded') return { encoding: 'utf-8', problem: null, charset: '' }
  const charset = CHARSET_PARAMETER.exec(mediaType)?.[1] ?? findMarkupCharset(start, mediaType)
  const declared = getEncodingName(charset)
  if (/\bjson\b/i.test(mediaType))
    return { encoding: 'utf-8', problem: declared === 'utf-8' || charset === '' ? null : 'json', charset }
  const marked = TEXT_MEDIA_TYPE.test(mediaType) ? findMarkedEncoding(start) : null
  const problem = charset !== '' && declared === null && marked === null ? 'unknown' : null
  return { encoding: marked ?? declared ?? 'utf-8', problem, charset }
}

/** Decodes a body. Bytes that are no text in their charset, but in UTF-8, count as UTF-8. */
export function decodeBodyText(bytes: Uint8Array, body: BodyFacts): BodyText {
  const declaration = findBodyEncoding(bytes, body)
  const isWhole = body.missing === null
  const text = decodeStrictly(bytes, declaration.encoding, isWhole)
  if (text !== null || declaration.encoding === 'utf-8') {
    // A wrong charset of a body that is UTF-8 all the same changes nothing.
    const problem = declaration.problem === 'json' && text !== null ? null : declaration.problem
    return { ...declaration, text, problem }
  }
  return { ...declaration, text: decodeStrictly(bytes, 'utf-8', isWhole), encoding: 'utf-8', problem: 'untrue' }
}

/** U+FFFD stands for what is no text; `isWhole` is false if more bytes follow. */
export function readBodyText(bytes: Uint8Array, mediaType: string, isWhole = true): string {
  const { text } = decodeBodyText(bytes, { mediaType, missing: isWhole ? null : 'limit' })
  return text?.replace(/^\uFEFF/, '') ?? new TextDecoder().decode(bytes)
}

/** Returns the media type of a text that was written anew in UTF-8. */
export function nameUtf8(mediaType: string): string {
  const replaced = mediaType.replace(/(;\s*charset\s*=\s*)(?:"[^"]*"|[^\s;"]+)/i, '$1utf-8')
  return CHARSET_PARAMETER.test(replaced) ? replaced : `${mediaType}; charset=utf-8`
}

/** Null for bytes that are no text. Only UTF-8 uses NUL and keeps its byte order mark. */
export function decodeStrictly(bytes: Uint8Array | ArrayBuffer, encoding = 'utf-8', isWhole = true): string | null {
  const isUtf8 = encoding === 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: isUtf8 }).decode(bytes, { stream: !isWhole })
    return !isUtf8 && text.includes('\0') ? null : text
  } catch {
    return null
  }
}

function findMarkupCharset(start: Uint8Array, mediaType: string): string {
  if (!/html|xml/i.test(mediaType)) return ''
  const beginning = new TextDecoder('latin1').decode(start.subarray(0, MAX_MARKUP_BYTES))
  const charset = MARKUP_CHARSET.exec(beginning)?.[1] ?? ''
  // UTF-16 could not be read here, so whoever names it means something else.
  return /^utf-?16/i.test(charset) ? '' : charset
}

function getEncodingName(charset: string): string | null {
  if (charset === '') return null
  try {
    return new TextDecoder(charset).encoding
  } catch {
    return null
  }
}

function findMarkedEncoding([first, second, third]: Uint8Array): string | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : null
}
