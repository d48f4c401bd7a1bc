/** The host writes UUIDs in upper case, in groups of 8, 4, 4, 4 and 12 digits. */
export const UUID_CHARS = 36
/** Number of 32-bit words. */
export const UUID_WORDS = 4

const DASH = 45
/** Marks bytes that are not an upper-case hexadecimal digit. */
const NO_DIGIT = 0x100
const digits = new Uint16Array(256).fill(NO_DIGIT)
for (let value = 0; value < 16; value += 1) digits['0123456789ABCDEF'.charCodeAt(value)] = value

/**
 * Writes the UUID at `offset` of `bytes` as four words from `words[wordOffset]` on.
 * @returns false if the text has a different form; an id in lower case is a different id
 */
export function packUuid(bytes: Uint8Array, offset: number, words: Uint32Array, wordOffset: number): boolean {
  const dashes =
    bytes[offset + 8] === DASH &&
    bytes[offset + 13] === DASH &&
    bytes[offset + 18] === DASH &&
    bytes[offset + 23] === DASH
  if (!dashes) return false
  const a = readHex4(bytes, offset)
  const b = readHex4(bytes, offset + 4)
  const c = readHex4(bytes, offset + 9)
  const d = readHex4(bytes, offset + 14)
  const e = readHex4(bytes, offset + 19)
  const f = readHex4(bytes, offset + 24)
  const g = readHex4(bytes, offset + 28)
  const h = readHex4(bytes, offset + 32)
  if ((a | b | c | d | e | f | g | h) < 0) return false
  words[wordOffset] = (a << 16) | b
  words[wordOffset + 1] = (c << 16) | d
  words[wordOffset + 2] = (e << 16) | f
  words[wordOffset + 3] = (g << 16) | h
  return true
}

/** Returns a negative number if a digit is invalid. */
function readHex4(bytes: Uint8Array, offset: number): number {
  const a = digits[bytes[offset] ?? 0] ?? NO_DIGIT
  const b = digits[bytes[offset + 1] ?? 0] ?? NO_DIGIT
  const c = digits[bytes[offset + 2] ?? 0] ?? NO_DIGIT
  const d = digits[bytes[offset + 3] ?? 0] ?? NO_DIGIT
  return (a | b | c | d) >= NO_DIGIT ? -1 : (a << 12) | (b << 8) | (c << 4) | d
}

const scratch = new Uint8Array(UUID_CHARS)

/** Like `packUuid`, but reads a string. */
export function packUuidText(text: string, words: Uint32Array, wordOffset: number): boolean {
  if (text.length !== UUID_CHARS) return false
  for (let index = 0; index < UUID_CHARS; index += 1) {
    const code = text.charCodeAt(index)
    if (code > 127) return false
    scratch[index] = code
  }
  return packUuid(scratch, 0, words, wordOffset)
}

const hexPairs = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0').toUpperCase())

export function formatUuid(words: Uint32Array, offset: number): string {
  const [a, b, c, d] = [words[offset] ?? 0, words[offset + 1] ?? 0, words[offset + 2] ?? 0, words[offset + 3] ?? 0]
  return `${formatLowerHalf(a >>> 16)}${formatLowerHalf(a)}-${formatLowerHalf(b >>> 16)}-${formatLowerHalf(b)}-${formatLowerHalf(c >>> 16)}-${formatLowerHalf(c)}${formatLowerHalf(d >>> 16)}${formatLowerHalf(d)}`
}

/** Formats the lower half of a word as four hexadecimal digits. */
const formatLowerHalf = (word: number): string => `${hexPairs[(word >>> 8) & 0xff] ?? ''}${hexPairs[word & 0xff] ?? ''}`
