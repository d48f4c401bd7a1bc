import { AMPERSAND, BACKSLASH, fold, hexOf, NUL, PERCENT, QUOTE } from './decode.ts'
import type { Form } from './forms.ts'

const HASH = 35
const SLASH = 47
const SEMICOLON = 59
const SMALL_U = 117
const SMALL_X = 120
/** No entity that is examined here is longer. */
const ENTITY = 11

/**
 * Recognises, from their bytes, escapes that cannot be part of a token: line breaks, quotes, `\u4e2d`, the backslash of a formula, the
 * ampersand of an address. Most texts have no others and need not be decoded.
 */
export class Edges {
  /** By character: whether a form holds it, or it may itself begin an escape. */
  readonly #held = new Uint8Array(256)

  constructor(forms: readonly Form[]) {
    for (const { codes } of forms) for (const code of codes) this.#held[code] = 1
  }

  /**
   * Length in bytes of such an escape at `at`; 0 if a token may include it, or may continue after it. Only in JSON is the letter after a
   * backslash certainly not a letter of a token.
   */
  length(bytes: Buffer, at: number, json: boolean): number {
    const byte = bytes[at]
    if (byte === NUL || at + ENTITY >= bytes.length || (byte !== undefined && this.#held[byte] === 1)) return 0
    if (byte === BACKSLASH) return this.#slash(bytes, at, json)
    return byte === PERCENT ? this.#percent(bytes, at) : this.#entity(bytes, at)
  }

  #slash(bytes: Buffer, at: number, json: boolean): number {
    const next = bytes[at + 1] ?? 0
    if (next === SMALL_U) {
      const high = [hexOf(bytes[at + 2]), hexOf(bytes[at + 3])]
      return high.every((digit) => digit >= 0) && high.some((digit) => digit > 0) ? 6 : 0
    }
    // In JSON inside JSON, `\\` may itself begin an escape.
    if (next === BACKSLASH) return escapes(bytes[at + 2]) ? 0 : 2
    if (next === QUOTE) return this.#held[QUOTE] === 1 ? 0 : 2
    return escapes(next) ? 0 : json ? 2 : 1
  }

  #percent(bytes: Buffer, at: number): number {
    const [first, second] = [bytes[at + 1] ?? 0, bytes[at + 2] ?? 0]
    const [high, low] = [hexOf(first), hexOf(second)]
    if (high < 0) return isSpecial(first) ? 0 : 1
    if (low < 0) return isSpecial(second) ? 0 : 1
    const code = high * 16 + low
    return isSpecial(code) || this.#held[fold(code)] === 1 ? 0 : 3
  }

  /** An ampersand that does not begin an entity. */
  #entity(bytes: Buffer, at: number): number {
    for (let end = at + 1; end < at + ENTITY; end += 1) {
      const byte = bytes[end] ?? 0
      if (byte === HASH || byte === SEMICOLON || isSpecial(byte)) return 0
      if (!isLetter(byte)) return 1
    }
    return 1
  }
}

const isSpecial = (byte: number): boolean =>
  byte === BACKSLASH || byte === PERCENT || byte === AMPERSAND || byte === NUL

const isLetter = (byte: number): boolean => (byte | 32) >= 97 && (byte | 32) <= 122

/** Whether a backslash before this byte may change its meaning. */
const escapes = (byte = 0): boolean =>
  isSpecial(byte) || byte === QUOTE || byte === SLASH || (byte | 32) === SMALL_U || (byte | 32) === SMALL_X
