/** RFC 8259 without creating values. Functions return the index after a part, -1 without it. */

export const QUOTE = 34
export const COMMA = 44
export const COLON = 58
export const OPEN_LIST = 91
export const BACKSLASH = 92
export const CLOSE_LIST = 93
export const OPEN_OBJECT = 123
export const CLOSE_OBJECT = 125
const MINUS = 45
const ZERO = 48
const NINE = 57
const LOWER_U = 117

/** Deeper nesting is left to `JSON.parse`. */
const MAX_LEVELS = 16

/** 1 for each byte that needs no decoding inside a string. Invalid UTF-8 is not detected here. */
export const PLAIN_STRING_BYTES = new Uint8Array(256).fill(1, 32)
PLAIN_STRING_BYTES[QUOTE] = 0
PLAIN_STRING_BYTES[BACKSLASH] = 0

/** The decoded byte of a short escape by its letter; 0 for none. */
export const SHORT_ESCAPE_CODES = new Uint8Array(256)
for (const [letter, code] of Object.entries({ '"': 34, '\\': 92, '/': 47, b: 8, f: 12, n: 10, r: 13, t: 9 })) {
  SHORT_ESCAPE_CODES[letter.charCodeAt(0)] = code
}

const isHex = new Uint8Array(256)
for (const digit of '0123456789abcdefABCDEF') isHex[digit.charCodeAt(0)] = 1

export function skipBlanks(bytes: Uint8Array, offset: number): number {
  let end = offset
  for (;;) {
    const byte = bytes[end] ?? 0
    if (byte > 32 || (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9)) return end
    end += 1
  }
}

/** Starts at the first character. Returns the index of its closing quote. */
export function scanPlainString(bytes: Uint8Array, offset: number): number {
  let end = offset
  while (PLAIN_STRING_BYTES[bytes[end] ?? 0] === 1) end += 1
  return bytes[end] === QUOTE ? end : -1
}

/** Starts at the first character after the opening quote. */
export function scanString(bytes: Uint8Array, offset: number): number {
  let end = offset
  for (;;) {
    while (PLAIN_STRING_BYTES[bytes[end] ?? 0] === 1) end += 1
    if (bytes[end] === QUOTE) return end + 1
    if (bytes[end] !== BACKSLASH) return -1
    end = scanEscape(bytes, end + 1)
    if (end < 0) return -1
  }
}

function scanEscape(bytes: Uint8Array, offset: number): number {
  const letter = bytes[offset] ?? 0
  if (SHORT_ESCAPE_CODES[letter] !== 0) return offset + 1
  if (letter !== LOWER_U) return -1
  for (let n = 1; n <= 4; n += 1) if (isHex[bytes[offset + n] ?? 0] === 0) return -1
  return offset + 5
}

function scanDigits(bytes: Uint8Array, offset: number): number {
  let end = offset
  for (;;) {
    const byte = bytes[end] ?? 0
    if (byte < ZERO || byte > NINE) return end === offset ? -1 : end
    end += 1
  }
}

function scanNumber(bytes: Uint8Array, offset: number): number {
  const firstDigit = bytes[offset] === MINUS ? offset + 1 : offset
  let end = bytes[firstDigit] === ZERO ? firstDigit + 1 : scanDigits(bytes, firstDigit)
  if (end >= 0 && bytes[end] === 46) end = scanDigits(bytes, end + 1)
  if (end < 0 || (bytes[end] !== 69 && bytes[end] !== 101)) return end
  const sign = bytes[end + 1]
  return scanDigits(bytes, sign === 43 || sign === MINUS ? end + 2 : end + 1)
}

export function scanNull(bytes: Uint8Array, offset: number): number {
  return bytes[offset] === 110 && bytes[offset + 1] === 117 && bytes[offset + 2] === 108 && bytes[offset + 3] === 108
    ? offset + 4
    : -1
}

function scanTrue(bytes: Uint8Array, offset: number): number {
  return bytes[offset + 1] === 114 && bytes[offset + 2] === 117 && bytes[offset + 3] === 101 ? offset + 4 : -1
}

function scanFalse(bytes: Uint8Array, offset: number): number {
  const isFalse =
    bytes[offset + 1] === 97 && bytes[offset + 2] === 108 && bytes[offset + 3] === 115 && bytes[offset + 4] === 101
  return isFalse ? offset + 5 : -1
}

/** `JSON.parse` accepts every text that this function accepts. */
export function scanValue(bytes: Uint8Array, offset: number, level = 0): number {
  switch (bytes[offset]) {
    case QUOTE:
      return scanString(bytes, offset + 1)
    case OPEN_OBJECT:
    case OPEN_LIST:
      return level < MAX_LEVELS ? scanNested(bytes, offset, level + 1) : -1
    case 110:
      return scanNull(bytes, offset)
    case 116:
      return scanTrue(bytes, offset)
    case 102:
      return scanFalse(bytes, offset)
    default:
      return scanNumber(bytes, offset)
  }
}

function scanNested(bytes: Uint8Array, offset: number, level: number): number {
  const isObject = bytes[offset] === OPEN_OBJECT
  const close = isObject ? CLOSE_OBJECT : CLOSE_LIST
  let end = skipBlanks(bytes, offset + 1)
  if (bytes[end] === close) return end + 1
  for (;;) {
    if (isObject) end = scanName(bytes, end)
    if (end < 0) return -1
    end = scanValue(bytes, end, level)
    if (end < 0) return -1
    end = skipBlanks(bytes, end)
    if (bytes[end] === close) return end + 1
    if (bytes[end] !== COMMA) return -1
    end = skipBlanks(bytes, end + 1)
  }
}

/** Scans a member's name and colon, up to the value. */
function scanName(bytes: Uint8Array, offset: number): number {
  const end = bytes[offset] === QUOTE ? scanString(bytes, offset + 1) : -1
  return end < 0 ? -1 : skipToValue(bytes, end)
}

/** Skips the blanks around the colon as well. Returns the index of the value. */
export function skipToValue(bytes: Uint8Array, offset: number): number {
  const colon = skipBlanks(bytes, offset)
  return bytes[colon] === COLON ? skipBlanks(bytes, colon + 1) : -1
}
