/** Steps over JSON text in UTF-8 (RFC 8259) without making values of it. Each returns the index after what it passed, or -1 if that is not there. */

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

/** What is nested more deeply than this is left to `JSON.parse`. */
const MAX_LEVELS = 16

/** 1 for each byte that stands for itself inside a string. Whether the bytes are UTF-8 is not asked here. */
export const PLAIN_BYTES = new Uint8Array(256).fill(1, 32)
PLAIN_BYTES[QUOTE] = 0
PLAIN_BYTES[BACKSLASH] = 0

/** The byte that a short escape means, by its letter; 0 for none. */
export const SHORT_ESCAPES = new Uint8Array(256)
for (const [letter, means] of Object.entries({ '"': 34, '\\': 92, '/': 47, b: 8, f: 12, n: 10, r: 13, t: 9 })) {
  SHORT_ESCAPES[letter.charCodeAt(0)] = means
}

const isHex = new Uint8Array(256)
for (const digit of '0123456789abcdefABCDEF') isHex[digit.charCodeAt(0)] = 1

/** The next byte that is not blank. */
export function skipBlanks(bytes: Uint8Array, at: number): number {
  let end = at
  for (;;) {
    const byte = bytes[end] ?? 0
    if (byte > 32 || (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9)) return end
    end += 1
  }
}

/** A string without escapes, from its first character on. Returns where its closing quote is. */
export function scanPlainString(bytes: Uint8Array, at: number): number {
  let end = at
  while (PLAIN_BYTES[bytes[end] ?? 0] === 1) end += 1
  return bytes[end] === QUOTE ? end : -1
}

/** A string, from its first character on. */
export function scanString(bytes: Uint8Array, at: number): number {
  let end = at
  for (;;) {
    while (PLAIN_BYTES[bytes[end] ?? 0] === 1) end += 1
    if (bytes[end] === QUOTE) return end + 1
    if (bytes[end] !== BACKSLASH) return -1
    end = escapeEnd(bytes, end + 1)
    if (end < 0) return -1
  }
}

function escapeEnd(bytes: Uint8Array, at: number): number {
  const letter = bytes[at] ?? 0
  if (SHORT_ESCAPES[letter] !== 0) return at + 1
  if (letter !== LOWER_U) return -1
  for (let n = 1; n <= 4; n += 1) if (isHex[bytes[at + n] ?? 0] === 0) return -1
  return at + 5
}

function digitsEnd(bytes: Uint8Array, at: number): number {
  let end = at
  for (;;) {
    const byte = bytes[end] ?? 0
    if (byte < ZERO || byte > NINE) return end === at ? -1 : end
    end += 1
  }
}

function numberEnd(bytes: Uint8Array, at: number): number {
  const first = bytes[at] === MINUS ? at + 1 : at
  let end = bytes[first] === ZERO ? first + 1 : digitsEnd(bytes, first)
  if (end >= 0 && bytes[end] === 46) end = digitsEnd(bytes, end + 1)
  if (end < 0 || (bytes[end] !== 69 && bytes[end] !== 101)) return end
  const sign = bytes[end + 1]
  return digitsEnd(bytes, sign === 43 || sign === MINUS ? end + 2 : end + 1)
}

export function scanNull(bytes: Uint8Array, at: number): number {
  return bytes[at] === 110 && bytes[at + 1] === 117 && bytes[at + 2] === 108 && bytes[at + 3] === 108 ? at + 4 : -1
}

function trueEnd(bytes: Uint8Array, at: number): number {
  return bytes[at + 1] === 114 && bytes[at + 2] === 117 && bytes[at + 3] === 101 ? at + 4 : -1
}

function falseEnd(bytes: Uint8Array, at: number): number {
  const rest = bytes[at + 1] === 97 && bytes[at + 2] === 108 && bytes[at + 3] === 115 && bytes[at + 4] === 101
  return rest ? at + 5 : -1
}

/** Any value. What it passes, `JSON.parse` accepts. */
export function scanValue(bytes: Uint8Array, at: number, level = 0): number {
  switch (bytes[at]) {
    case QUOTE:
      return scanString(bytes, at + 1)
    case OPEN_OBJECT:
    case OPEN_LIST:
      return level < MAX_LEVELS ? nestedEnd(bytes, at, level + 1) : -1
    case 110:
      return scanNull(bytes, at)
    case 116:
      return trueEnd(bytes, at)
    case 102:
      return falseEnd(bytes, at)
    default:
      return numberEnd(bytes, at)
  }
}

/** A list or an object. */
function nestedEnd(bytes: Uint8Array, at: number, level: number): number {
  const named = bytes[at] === OPEN_OBJECT
  const close = named ? CLOSE_OBJECT : CLOSE_LIST
  let end = skipBlanks(bytes, at + 1)
  if (bytes[end] === close) return end + 1
  for (;;) {
    if (named) end = nameEnd(bytes, end)
    if (end < 0) return -1
    end = scanValue(bytes, end, level)
    if (end < 0) return -1
    end = skipBlanks(bytes, end)
    if (bytes[end] === close) return end + 1
    if (bytes[end] !== COMMA) return -1
    end = skipBlanks(bytes, end + 1)
  }
}

/** A member's name and its colon, up to the value. */
function nameEnd(bytes: Uint8Array, at: number): number {
  const end = bytes[at] === QUOTE ? scanString(bytes, at + 1) : -1
  return end < 0 ? -1 : skipToValue(bytes, end)
}

/** The colon after a name that ended before `at`, and the blanks around it: where the value begins. */
export function skipToValue(bytes: Uint8Array, at: number): number {
  const colon = skipBlanks(bytes, at)
  return bytes[colon] === COLON ? skipBlanks(bytes, colon + 1) : -1
}
