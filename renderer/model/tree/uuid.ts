/** Characters of a UUID as the host writes one: upper case, in groups of 8, 4, 4, 4 and 12. */
export const UUID_CHARS = 36
/** 32-bit words that hold one. */
export const UUID_WORDS = 4

const DASH = 45
/** Set where a byte is not a digit of an upper-case hexadecimal number. */
const NO_DIGIT = 0x100
const digits = new Uint16Array(256).fill(NO_DIGIT)
for (let value = 0; value < 16; value += 1) digits['0123456789ABCDEF'.charCodeAt(value)] = value

/**
 * Writes the UUID at `at` as four words to `words[to]` and on. False if there is none in exactly this form: a text in another case is
 * another id.
 */
export function packUuid(bytes: Uint8Array, at: number, words: Uint32Array, to: number): boolean {
  const dashes = bytes[at + 8] === DASH && bytes[at + 13] === DASH && bytes[at + 18] === DASH && bytes[at + 23] === DASH
  if (!dashes) return false
  const a = hex4(bytes, at)
  const b = hex4(bytes, at + 4)
  const c = hex4(bytes, at + 9)
  const d = hex4(bytes, at + 14)
  const e = hex4(bytes, at + 19)
  const f = hex4(bytes, at + 24)
  const g = hex4(bytes, at + 28)
  const h = hex4(bytes, at + 32)
  if ((a | b | c | d | e | f | g | h) < 0) return false
  words[to] = (a << 16) | b
  words[to + 1] = (c << 16) | d
  words[to + 2] = (e << 16) | f
  words[to + 3] = (g << 16) | h
  return true
}

/** Four hexadecimal digits as a number; negative if one of them is none. */
function hex4(bytes: Uint8Array, at: number): number {
  const a = digits[bytes[at] ?? 0] ?? NO_DIGIT
  const b = digits[bytes[at + 1] ?? 0] ?? NO_DIGIT
  const c = digits[bytes[at + 2] ?? 0] ?? NO_DIGIT
  const d = digits[bytes[at + 3] ?? 0] ?? NO_DIGIT
  return (a | b | c | d) >= NO_DIGIT ? -1 : (a << 12) | (b << 8) | (c << 4) | d
}

const scratch = new Uint8Array(UUID_CHARS)

/** The same for a text. */
export function packUuidText(text: string, words: Uint32Array, to: number): boolean {
  if (text.length !== UUID_CHARS) return false
  for (let at = 0; at < UUID_CHARS; at += 1) {
    const code = text.charCodeAt(at)
    if (code > 127) return false
    scratch[at] = code
  }
  return packUuid(scratch, 0, words, to)
}

const pairs = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0').toUpperCase())

/** The UUID that four words hold. */
export function formatUuid(words: Uint32Array, at: number): string {
  const [a, b, c, d] = [words[at] ?? 0, words[at + 1] ?? 0, words[at + 2] ?? 0, words[at + 3] ?? 0]
  return `${hexOf(a >>> 16)}${hexOf(a)}-${hexOf(b >>> 16)}-${hexOf(b)}-${hexOf(c >>> 16)}-${hexOf(c)}${hexOf(d >>> 16)}${hexOf(d)}`
}

/** The lower half of a word as four digits. */
const hexOf = (word: number): string => `${pairs[(word >>> 8) & 0xff] ?? ''}${pairs[word & 0xff] ?? ''}`
