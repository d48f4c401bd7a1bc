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
  const part1 = readHex4(bytes, offset)
  const part2 = readHex4(bytes, offset + 4)
  const part3 = readHex4(bytes, offset + 9)
  const part4 = readHex4(bytes, offset + 14)
  const part5 = readHex4(bytes, offset + 19)
  const part6 = readHex4(bytes, offset + 24)
  const part7 = readHex4(bytes, offset + 28)
  const part8 = readHex4(bytes, offset + 32)
  if ((part1 | part2 | part3 | part4 | part5 | part6 | part7 | part8) < 0) return false
  words[wordOffset] = (part1 << 16) | part2
  words[wordOffset + 1] = (part3 << 16) | part4
  words[wordOffset + 2] = (part5 << 16) | part6
  words[wordOffset + 3] = (part7 << 16) | part8
  return true
}

/** Returns a negative number if a digit is invalid. */
function readHex4(bytes: Uint8Array, offset: number): number {
  const digit1 = digits[bytes[offset] ?? 0] ?? NO_DIGIT
  const digit2 = digits[bytes[offset + 1] ?? 0] ?? NO_DIGIT
  const digit3 = digits[bytes[offset + 2] ?? 0] ?? NO_DIGIT
  const digit4 = digits[bytes[offset + 3] ?? 0] ?? NO_DIGIT
  return (digit1 | digit2 | digit3 | digit4) >= NO_DIGIT ? -1 : (digit1 << 12) | (digit2 << 8) | (digit3 << 4) | digit4
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
  const [word1, word2, word3, word4] = [
    words[offset] ?? 0,
    words[offset + 1] ?? 0,
    words[offset + 2] ?? 0,
    words[offset + 3] ?? 0,
  ]
  return `${formatLowerHalf(word1 >>> 16)}${formatLowerHalf(word1)}-${formatLowerHalf(word2 >>> 16)}-${formatLowerHalf(word2)}-${formatLowerHalf(word3 >>> 16)}-${formatLowerHalf(word3)}${formatLowerHalf(word4 >>> 16)}${formatLowerHalf(word4)}`
}

/** Formats the lower half of a word as four hexadecimal digits. */
const formatLowerHalf = (word: number): string => `${hexPairs[(word >>> 8) & 0xff] ?? ''}${hexPairs[word & 0xff] ?? ''}`
