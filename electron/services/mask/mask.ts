/**
 * Hides tokens that a host sends back: plain, escaped once for JSON or an address, in base64 or in
 * hex. Other encodings, and encodings within encodings, are not searched (docs/guide/hosts.md says
 * so). Read this file first; `forms.ts` lists the forms.
 */
import { getTokenForms, MIN_UNMISTAKABLE_CHARS, type TokenForm } from './forms.ts'

interface TokenSpan {
  readonly start: number
  readonly end: number
  /** True for a number outside the strings of JSON, which only digits can replace. */
  readonly isNumber: boolean
}

interface FindOptions {
  /** Index where the search begins; earlier bytes only serve as context. */
  readonly from?: number
  /** The bytes are JSON, and masking must leave them well formed. */
  readonly isJson?: boolean
  /** True for the last piece: no more bytes follow. */
  readonly isFinal?: boolean
}

/** Bytes before a position that show whether it is inside a word; an escape is the longest case. */
const CONTEXT_BYTES = 6

const LAST_WINDOW_FLAG = 0x80
const QUOTE_CODE = 34
const COLON_CODE = 58
const BACKSLASH_CODE = 92
const LOWER_CASE = new Uint8Array(256).map((_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte))

/** Finds all forms of some tokens in one pass over the bytes (the Wu–Manber algorithm). */
class TokenFinder {
  /** Number of bytes that are examined together; every form is at least this long. */
  readonly #windowBytes: number
  /** Bytes to skip after a window's last two bytes; `LAST_WINDOW_FLAG` if a form may begin. */
  readonly #shifts: Uint8Array
  /** Maps two bytes to 1 if a form begins with them. */
  readonly #beginnings = new Uint8Array(65_536)
  readonly #forms: readonly TokenForm[]

  private constructor(forms: readonly TokenForm[]) {
    this.#forms = forms
    this.#windowBytes = Math.min(MIN_UNMISTAKABLE_CHARS, ...forms.map(({ minBytes }) => minBytes))
    this.#shifts = new Uint8Array(65_536).fill(this.#windowBytes - 1)
    for (const { bytes: codes } of forms) {
      for (let index = 0; index + 1 < this.#windowBytes; index += 1) {
        for (const first of listCases(codes[index])) {
          for (const second of listCases(codes[index + 1])) {
            const pair = (first << 8) | second
            const shift = this.#shifts[pair] ?? 0
            const distance = this.#windowBytes - 2 - index
            this.#shifts[pair] =
              distance === 0
                ? shift | LAST_WINDOW_FLAG
                : Math.min(shift & ~LAST_WINDOW_FLAG, distance) | (shift & LAST_WINDOW_FLAG)
            if (index === 0) this.#beginnings[pair] = 1
          }
        }
      }
    }
  }

  /** Null if no token is long enough to search for. */
  static forTokens(tokens: readonly string[]): TokenFinder | null {
    const forms = tokens.flatMap(getTokenForms)
    return forms.length === 0 ? null : new TokenFinder(forms)
  }

  /** False if a text certainly contains no token. Cheap, and rarely true without one. */
  canMatch(text: string): boolean {
    const windowBytes = this.#windowBytes
    for (let start = 0; start + windowBytes <= text.length;) {
      const shift = lookUpPair(this.#shifts, text, start + windowBytes - 2) ?? windowBytes - 1
      if (shift >= LAST_WINDOW_FLAG && lookUpPair(this.#beginnings, text, start) === 1) return true
      start += shift & ~LAST_WINDOW_FLAG
    }
    return false
  }

  /** Finds tokens. From `decidedEnd` on, bytes may still turn out to be part of one. */
  findSpans(
    bytes: Uint8Array,
    { from = 0, isJson = false, isFinal = true }: FindOptions,
  ): { spans: TokenSpan[]; decidedEnd: number } {
    const windowBytes = this.#windowBytes
    const shifts = this.#shifts
    const beginnings = this.#beginnings
    const size = bytes.length
    const isInString = isJson ? createStringTracker(bytes) : null
    const spans: TokenSpan[] = []
    let start = from
    while (start + windowBytes <= size) {
      const shift = shifts[((bytes[start + windowBytes - 2] ?? 0) << 8) | (bytes[start + windowBytes - 1] ?? 0)] ?? 1
      if (shift < LAST_WINDOW_FLAG || beginnings[((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0)] === 0) {
        start += shift & ~LAST_WINDOW_FLAG
        continue
      }
      const match = this.#findLongestForm(bytes, start, isJson, isFinal)
      if (match === 'undecided') break
      const end = match ? start + match.length : start
      const isNumber = match?.form.isBare === true && isInString?.(start) === false
      if (match && isInString && !isReplaceable(bytes, start, end, match.form, isNumber)) start += 1
      else if (match) {
        spans.push({ start, end, isNumber })
        start = end
      } else start += 1
    }
    return { spans, decidedEnd: isFinal ? size : start }
  }

  #findLongestForm(bytes: Uint8Array, start: number, isJson: boolean, isFinal: boolean) {
    let longest: { form: TokenForm; length: number } | null = null
    for (const form of this.#forms) {
      const { bytes: codes, ends, minBytes, isWhole, isOutsideJson } = form
      if (isJson && isOutsideJson) continue
      const maxLength = Math.min(codes.length, bytes.length - start)
      let length = 0
      while (length < maxLength && LOWER_CASE[bytes[start + length] ?? 0] === codes[length]) length += 1
      const isCutOff = start + length === bytes.length && (length < codes.length || isWhole)
      if (isCutOff && !isFinal && !(isWhole && isAfterWord(bytes, start))) return 'undecided'
      while (ends[length] === 0 && length > 0) length -= 1
      if (length < minBytes || length <= (longest?.length ?? 0)) continue
      if (isWhole && (isWordCode(bytes[start + length]) || isAfterWord(bytes, start))) continue
      longest = { form, length }
    }
    return longest && !(isJson && isEscaped(bytes, start)) ? longest : null
  }
}

/** Returns a table's value for two characters of a text; undefined if one is not ASCII. */
function lookUpPair(table: Uint8Array, text: string, index: number): number | undefined {
  const [first, second] = [text.charCodeAt(index), text.charCodeAt(index + 1)]
  return (first | second) < 0x80 ? table[(first << 8) | second] : undefined
}

const listCases = (code = 0): number[] => (code >= 97 && code <= 122 ? [code, code - 32] : [code])

const isWordCode = (byte?: number): boolean => byte !== undefined && /[\w-]/.test(String.fromCharCode(byte))

/** Directly after a letter, digit, `_` or `-` that is not the end of an escape. */
function isAfterWord(bytes: Uint8Array, position: number): boolean {
  const preceding = String.fromCharCode(...bytes.subarray(Math.max(0, position - CONTEXT_BYTES), position))
  return /[\w-]$/.test(preceding) && !/(?:\\[bfnrt]|\\u[\da-f]{4}|%[\da-f]{2})$/i.test(preceding)
}

/** True if the byte at a position of a JSON text belongs to an escape that begins before it. */
function isEscaped(bytes: Uint8Array, position: number): boolean {
  let backslashCount = 0
  while (bytes[position - 1 - backslashCount] === BACKSLASH_CODE) backslashCount += 1
  return backslashCount % 2 === 1 && /[bfnrtu"\\/]/.test(String.fromCharCode(bytes[position] ?? 0))
}

/** Replacing these bytes keeps a JSON text well formed, and its members' names. */
function isReplaceable(bytes: Uint8Array, start: number, end: number, form: TokenForm, isNumber: boolean): boolean {
  if (isNumber) return !form.isWhole && bytes.subarray(start, end).every((byte) => byte >= 48 && byte <= 57)
  return !(form.isWhole && form.isLetters && isMemberName(bytes, start, end))
}

/** True if these bytes are the complete name of a member. */
function isMemberName(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes[start - 1] !== QUOTE_CODE || bytes[end] !== QUOTE_CODE) return false
  let index = end + 1
  while (bytes[index] === 32 || bytes[index] === 9 || bytes[index] === 10 || bytes[index] === 13) index += 1
  return bytes[index] === COLON_CODE
}

/** Tells whether a position is inside a string; positions must be passed in ascending order. */
function createStringTracker(bytes: Uint8Array): (place: number) => boolean {
  let index = 0
  let isInside = false
  return (place) => {
    for (; index < place; index += 1) {
      if (bytes[index] === QUOTE_CODE) isInside = !isInside
      else if (bytes[index] === BACKSLASH_CODE && isInside) index += 1
    }
    return isInside
  }
}

/** Replaces a token in a text whose length may change. */
export const MASK_TEXT = '[redacted]'

/** Bytes of the next piece that are searched with the undecided end of the previous one. */
const SEAM_BYTES = 512

const STAR_CODE = '*'.charCodeAt(0)
const DIGIT_ONE_CODE = '1'.charCodeAt(0)

/** Finders are cached because masking uses the same few tokens all the time. */
const MAX_FINDERS = 8
const finders = new Map<string, TokenFinder | null>()

function getFinder(token: string | null): TokenFinder | null {
  if (token === null) return null
  let finder = finders.get(token)
  if (finder === undefined) {
    finder = TokenFinder.forTokens([token])
    const [oldest] = finders.keys()
    if (finders.size >= MAX_FINDERS && oldest !== undefined) finders.delete(oldest)
    finders.set(token, finder)
  }
  return finder
}

export class TokenMask {
  readonly #finder: TokenFinder | null

  private constructor(finder: TokenFinder | null) {
    this.#finder = finder
  }

  static forTokens(tokens: readonly string[]): TokenMask {
    return new TokenMask(TokenFinder.forTokens(tokens))
  }

  static forToken(token: string | null): TokenMask {
    return new TokenMask(getFinder(token))
  }

  /** Returns the text with every token replaced by `[redacted]`; the same text if there is none. */
  conceal(text: string): string {
    if (!this.#finder?.canMatch(text)) return text
    // One byte per character, so that byte positions are text positions.
    const bytes = Buffer.from(text.replace(/[^\0-\x7f]/g, '\x80'), 'latin1')
    const { spans } = this.#finder.findSpans(bytes, {})
    if (spans.length === 0) return text
    const parts = spans.map(({ start }, index) => text.slice(spans[index - 1]?.end ?? 0, start) + MASK_TEXT)
    return parts.join('') + text.slice(spans.at(-1)?.end)
  }

  createStream(): MaskStream {
    return new MaskStream(null, this.#finder)
  }

  /** Each byte becomes a star; `isJson` keeps JSON valid. Returns the number of masked tokens. */
  maskInPlace(bytes: Uint8Array, isJson: boolean): number {
    const spans = this.#finder?.findSpans(bytes, { isJson }).spans ?? []
    for (const { start, end, isNumber } of spans) bytes.fill(isNumber ? DIGIT_ONE_CODE : STAR_CODE, start, end)
    return spans.length
  }
}

/** Masks in place. Hosts may echo the request, and the token must not reach a page. */
export function maskBytes(bytes: Uint8Array, token: string | null, isJson: boolean): number {
  return TokenMask.forToken(token).maskInPlace(bytes, isJson)
}

/** Masks a token in a text in pieces, even if it begins in one and ends in another. */
export class MaskStream {
  readonly #finder: TokenFinder | null
  /** Bytes that may be the beginning of a token, and before them a few decided bytes as context. */
  #undecided: Buffer = Buffer.alloc(0)
  #contextBytes = 0
  #count = 0

  constructor(token: string | null, finder = getFinder(token)) {
    this.#finder = finder
  }

  get maskedCount(): number {
    return this.#count
  }

  /** Returns the decided bytes; a possible beginning of a token waits for the next piece. */
  push(piece: Buffer): Buffer {
    // The piece is copied because its buffer may have other readers.
    return this.#finder ? this.#maskDecided(Buffer.concat([this.#undecided, piece]), this.#contextBytes, false) : piece
  }

  /**
   * Like `push` for a piece without other readers: passes the decided bytes to `onPart` in up to
   * two buffers, the longer of which is the piece itself, masked in place. Copying every piece
   * would cost more than searching it.
   */
  pushOwned(piece: Buffer, onPart: (part: Buffer) => void): void {
    const emitPart = (part: Buffer): void => {
      if (part.byteLength > 0) onPart(part)
    }
    if (this.#undecided.byteLength === 0 && this.#finder) return emitPart(this.#maskDecided(piece, 0, false))
    if (piece.byteLength <= SEAM_BYTES) return emitPart(this.push(piece))
    emitPart(this.push(piece.subarray(0, SEAM_BYTES)))
    const undecidedBytes = this.#undecided.byteLength
    if (undecidedBytes > SEAM_BYTES) return emitPart(this.push(piece.subarray(SEAM_BYTES)))
    // The undecided bytes are the end of the seam, which was copied from the piece.
    const remaining = piece.subarray(SEAM_BYTES - undecidedBytes)
    this.#undecided.copy(remaining)
    emitPart(this.#maskDecided(remaining, this.#contextBytes, false))
  }

  /** Returns the bytes that are still undecided, masked. */
  end(): Buffer {
    return this.#maskDecided(this.#undecided, this.#contextBytes, true)
  }

  #maskDecided(bytes: Buffer, from: number, isFinal: boolean): Buffer {
    const { spans, decidedEnd } = this.#finder?.findSpans(bytes, { from, isFinal }) ?? {
      spans: [],
      decidedEnd: bytes.byteLength,
    }
    for (const { start, end } of spans) bytes.fill(STAR_CODE, start, end)
    this.#count += spans.length
    this.#contextBytes = Math.min(decidedEnd, CONTEXT_BYTES)
    // A copy, so that a few bytes do not keep the entire piece in memory.
    this.#undecided = Buffer.from(bytes.subarray(decidedEnd - this.#contextBytes))
    return bytes.subarray(from, decidedEnd)
  }
}
