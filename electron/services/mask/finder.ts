import { getTokenForms, MIN_UNMISTAKABLE_CHARS, type TokenForm } from './forms.ts'

/** Where a token is. */
interface TokenSpan {
  readonly start: number
  readonly end: number
  /** A number outside the strings of JSON, which only digits can replace. */
  readonly isNumber: boolean
}

interface Options {
  /** Where to begin; the bytes before it only show what precedes. */
  readonly from?: number
  /** The bytes are JSON, and masking must leave them well formed. */
  readonly isJson?: boolean
  /** No more bytes follow. */
  readonly isFinal?: boolean
}

/** How many bytes before a place tell whether it is inside a word: an escape, at most. */
export const CONTEXT_BYTES = 6

const LAST = 0x80
const QUOTE = 34
const COLON = 58
const BACKSLASH = 92
const lowerCase = new Uint8Array(256).map((_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte))

/** Finds the forms of some tokens in bytes, all at once (the Wu–Manber algorithm). */
export class TokenFinder {
  /** No form is recognised by fewer bytes; this many are examined together. */
  readonly #width: number
  /**
   * By the last two bytes of a window: how many bytes to skip, and `LAST` if a form may begin where
   * the window does.
   */
  readonly #shifts: Uint8Array
  /** By two bytes: 1 if a form begins with them. */
  readonly #beginnings = new Uint8Array(65_536)
  readonly #forms: readonly TokenForm[]

  private constructor(forms: readonly TokenForm[]) {
    this.#forms = forms
    this.#width = Math.min(MIN_UNMISTAKABLE_CHARS, ...forms.map(({ minBytes }) => minBytes))
    this.#shifts = new Uint8Array(65_536).fill(this.#width - 1)
    for (const { bytes: codes } of forms) {
      for (let index = 0; index + 1 < this.#width; index += 1) {
        for (const first of bothCases(codes[index])) {
          for (const second of bothCases(codes[index + 1])) {
            const pair = (first << 8) | second
            const shift = this.#shifts[pair] ?? 0
            const distance = this.#width - 2 - index
            this.#shifts[pair] = distance === 0 ? shift | LAST : Math.min(shift & ~LAST, distance) | (shift & LAST)
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

  /** False if a text certainly holds no token; true of few others, and cheap to find out. */
  canMatch(text: string): boolean {
    const width = this.#width
    for (let start = 0; start + width <= text.length;) {
      const shift = valueOf(this.#shifts, text, start + width - 2) ?? width - 1
      if (shift >= LAST && valueOf(this.#beginnings, text, start) === 1) return true
      start += shift & ~LAST
    }
    return false
  }

  /**
   * Everything before `done` is decided; bytes after it may still turn out to be part of a token.
   */
  findSpans(
    bytes: Uint8Array,
    { from = 0, isJson: json = false, isFinal: final = true }: Options,
  ): { spans: TokenSpan[]; decidedEnd: number } {
    const width = this.#width
    const shifts = this.#shifts
    const beginnings = this.#beginnings
    const size = bytes.length
    const isInString = json ? stringsOf(bytes) : null
    const spans: TokenSpan[] = []
    let start = from
    while (start + width <= size) {
      const shift = shifts[((bytes[start + width - 2] ?? 0) << 8) | (bytes[start + width - 1] ?? 0)] ?? 1
      if (shift < LAST || beginnings[((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0)] === 0) {
        start += shift & ~LAST
        continue
      }
      const match = this.#longestAt(bytes, start, json, final)
      if (match === 'undecided') break
      const end = match ? start + match.length : start
      const isNumber = match?.form.isBare === true && isInString?.(start) === false
      if (match && isInString && !isReplaceable(bytes, start, end, match.form, isNumber)) start += 1
      else if (match) {
        spans.push({ start, end, isNumber })
        start = end
      } else start += 1
    }
    return { spans, decidedEnd: final ? size : start }
  }

  #longestAt(bytes: Uint8Array, start: number, json: boolean, final: boolean) {
    let longest: { form: TokenForm; length: number } | null = null
    for (const form of this.#forms) {
      const { bytes: codes, ends, minBytes, isWhole, isOutsideJson } = form
      if (json && isOutsideJson) continue
      const most = Math.min(codes.length, bytes.length - start)
      let length = 0
      while (length < most && lowerCase[bytes[start + length] ?? 0] === codes[length]) length += 1
      const isCutOff = start + length === bytes.length && (length < codes.length || isWhole)
      if (isCutOff && !final && !(isWhole && isAfterWord(bytes, start))) return 'undecided'
      while (ends[length] === 0 && length > 0) length -= 1
      if (length < minBytes || length <= (longest?.length ?? 0)) continue
      if (isWhole && (isWordCode(bytes[start + length]) || isAfterWord(bytes, start))) continue
      longest = { form, length }
    }
    return longest && !(json && isEscaped(bytes, start)) ? longest : null
  }
}

/** A table's value for two characters of a text; undefined if one is beyond ASCII. */
function valueOf(table: Uint8Array, text: string, index: number): number | undefined {
  const [first, second] = [text.charCodeAt(index), text.charCodeAt(index + 1)]
  return (first | second) < 0x80 ? table[(first << 8) | second] : undefined
}

const bothCases = (code = 0): number[] => (code >= 97 && code <= 122 ? [code, code - 32] : [code])

const isWordCode = (byte?: number): boolean => byte !== undefined && /[\w-]/.test(String.fromCharCode(byte))

/** Whether a place is right behind a letter, digit, `_` or `-` that ends no escape. */
function isAfterWord(bytes: Uint8Array, place: number): boolean {
  const before = String.fromCharCode(...bytes.subarray(Math.max(0, place - CONTEXT_BYTES), place))
  return /[\w-]$/.test(before) && !/(?:\\[bfnrt]|\\u[\da-f]{4}|%[\da-f]{2})$/i.test(before)
}

/**
 * Whether the byte at a place of a JSON text belongs to the escape that a backslash before it
 * begins.
 */
function isEscaped(bytes: Uint8Array, place: number): boolean {
  let slashes = 0
  while (bytes[place - 1 - slashes] === BACKSLASH) slashes += 1
  return slashes % 2 === 1 && /[bfnrtu"\\/]/.test(String.fromCharCode(bytes[place] ?? 0))
}

/**
 * Whether a JSON text stays well formed, and keeps its members' names, when these bytes are
 * replaced.
 */
function isReplaceable(bytes: Uint8Array, start: number, end: number, form: TokenForm, isNumber: boolean): boolean {
  if (isNumber) return !form.isWhole && bytes.subarray(start, end).every((byte) => byte >= 48 && byte <= 57)
  return !(form.isWhole && form.isLetters && isName(bytes, start, end))
}

/** Whether these bytes are the whole name of a member. */
function isName(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes[start - 1] !== QUOTE || bytes[end] !== QUOTE) return false
  let next = end + 1
  while (bytes[next] === 32 || bytes[next] === 9 || bytes[next] === 10 || bytes[next] === 13) next += 1
  return bytes[next] === COLON
}

/** Tells of places of a JSON text, from front to back, whether they are inside a string. */
function stringsOf(bytes: Uint8Array): (place: number) => boolean {
  let index = 0
  let isInside = false
  return (place) => {
    for (; index < place; index += 1) {
      if (bytes[index] === QUOTE) isInside = !isInside
      else if (bytes[index] === BACKSLASH && isInside) index += 1
    }
    return isInside
  }
}
