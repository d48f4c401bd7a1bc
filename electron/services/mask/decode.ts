/** Stands for whatever no token holds: characters beyond ASCII, control characters, the quote that ends a JSON string. */
export const EDGE = 0x80
/** How often a text may have been encoded in itself: JSON inside of an entity inside of a percent-coded address. */
const LAYERS = 6
/** Bytes from which a character may be read that is written otherwise. NUL stands between the characters of UTF-16. */
export const NUL = 0
export const PERCENT = 37
export const AMPERSAND = 38
export const BACKSLASH = 92
export const QUOTE = 34

const HASH = 35
const SEMICOLON = 59
const SLASH = 47
const SMALL_U = 117
const SMALL_X = 120

/** Lower case, and `EDGE` for what no token holds. */
const folded = new Uint8Array(256).map((_, byte) =>
  byte >= 0x80 || byte < 0x20 || byte === 0x7f ? EDGE : byte >= 65 && byte <= 90 ? byte + 32 : byte,
)
const hexValue = new Int8Array(256).map((_, byte) =>
  byte >= 48 && byte <= 57 ? byte - 48 : byte >= 97 && byte <= 102 ? byte - 87 : -1,
)

export const fold = (byte: number): number => folded[byte] ?? EDGE

/** Value of a hex digit, -1 of anything else. */
export const hexOf = (byte = 0): number => hexValue[fold(byte)] ?? -1

/** Entities of HTML whose characters a token may hold, names in lower case. */
const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", plus: '+', sol: '/', bsol: '\\', period: '.', equals: '=' },
  ...{ lowbar: '_', underbar: '_', percnt: '%', num: '#', colon: ':', semi: ';', comma: ',', commat: '@', excl: '!' },
  ...{ quest: '?', dollar: '$', ast: '*', midast: '*', hat: '^', grave: '`', verbar: '|', vert: '|', lpar: '(' },
  ...{ rpar: ')', lsqb: '[', lbrack: '[', rsqb: ']', rbrack: ']', lcub: '{', lbrace: '{', rcub: '}', rbrace: '}' },
}
const LONGEST_NAME = 9
const LONGEST_NUMBER = 9

/**
 * Reads bytes as the characters that they stand for, whichever way these are written: JSON's escapes (also of JSON inside of JSON, where
 * backslashes multiply), percent codes, entities, UTF-16; in lower case. Backslashes themselves are left out. After `run` the arrays
 * hold `count` characters, each with the bytes that it was read from.
 */
export class Decoder {
  codes = new Uint8Array(256)
  starts = new Int32Array(256)
  ends = new Int32Array(256)
  count = 0
  readonly #keepsLetters: boolean

  /** `keepsLetters`: `\n` may be an `n` behind a backslash of the token, and not the end of a line. */
  constructor(keepsLetters = false) {
    this.#keepsLetters = keepsLetters
  }

  /** Reads the bytes `from` to `to`, excluded. In JSON a quote without a backslash is the border of a string. */
  run(bytes: Uint8Array, from: number, to: number, json: boolean): number {
    this.#reserve(to - from)
    let count = 0
    let coded = false
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] ?? 0
      if (byte === NUL) continue
      this.#put(count++, json && byte === QUOTE ? EDGE : fold(byte), at, at + 1)
      coded ||= byte === BACKSLASH || byte === PERCENT || byte === AMPERSAND
      if (byte !== BACKSLASH || at + 1 >= to) continue
      at += 1
      this.#put(count++, fold(bytes[at] ?? 0), at, at + 1)
    }
    this.count = count
    if (!coded) return count
    for (let layer = 0; layer < LAYERS && this.#decode(); layer += 1) continue
    this.#dropSlashes()
    return this.count
  }

  #reserve(length: number): void {
    if (length <= this.codes.length) return
    this.codes = new Uint8Array(length)
    this.starts = new Int32Array(length)
    this.ends = new Int32Array(length)
  }

  #put(at: number, code: number, start: number, end: number): void {
    this.codes[at] = code
    this.starts[at] = start
    this.ends[at] = end
  }

  /** Undoes one layer, in place: what is read is never shorter than what it stands for. False where there was nothing to undo. */
  #decode(): boolean {
    const { codes, starts, ends, count } = this
    let put = 0
    let changed = false
    for (let at = 0; at < count;) {
      const code = codes[at] ?? EDGE
      let next = 0
      if (code === BACKSLASH) next = this.#backslash(at)
      else if (code === PERCENT) next = this.#hex(at + 1, 2)
      else if (code === AMPERSAND) next = this.#entity(at + 1)
      if (next > 0) changed = true
      else next = at + 1
      this.#put(put++, next > at + 1 ? this.#value : code, starts[at] ?? 0, ends[next - 1] ?? 0)
      at = next
    }
    this.count = put
    return changed
  }

  /** A backslash that escapes nothing stands for itself; the same letters without it are as good. */
  #dropSlashes(): void {
    const { codes, starts, ends, count } = this
    let put = 0
    for (let at = 0; at < count; at += 1) {
      if (codes[at] !== BACKSLASH) this.#put(put++, codes[at] ?? EDGE, starts[at] ?? 0, ends[at] ?? 0)
    }
    this.count = put
  }

  /** What the last escape stands for. */
  #value = 0

  /** Index behind an escape of JSON or JavaScript; 0 where it is none, or one whose letters are coded themselves. */
  #backslash(at: number): number {
    const code = this.codes[at + 1] ?? EDGE
    if (at + 1 >= this.count) return 0
    if (code === SMALL_U) return this.#hex(at + 2, 4)
    if (code === SMALL_X) return this.#hex(at + 2, 2)
    const control = !this.#keepsLetters && isControlLetter(code)
    if (!control && code !== BACKSLASH && code !== QUOTE && code !== SLASH) return 0
    this.#value = control ? EDGE : code
    return at + 2
  }

  /** Index behind so many hex digits, 0 where there are none. */
  #hex(at: number, digits: number): number {
    if (at + digits > this.count) return 0
    let value = 0
    for (let digit = at; digit < at + digits; digit += 1) {
      const one = hexValue[this.codes[digit] ?? EDGE] ?? -1
      if (one < 0) return 0
      value = value * 16 + one
    }
    this.#value = value < 0x80 ? fold(value) : EDGE
    return at + digits
  }

  /** Index behind an entity, named or numbered, 0 where there is none. The semicolon of a number may be missing. */
  #entity(at: number): number {
    const { codes, count } = this
    if (codes[at] !== HASH) {
      let end = at
      while (end < count && end - at < LONGEST_NAME && codes[end] !== SEMICOLON) end += 1
      const character = codes[end] === SEMICOLON ? entities[String.fromCharCode(...codes.subarray(at, end))] : undefined
      if (character === undefined || end >= count) return 0
      this.#value = character.charCodeAt(0)
      return end + 1
    }
    const hex = codes[at + 1] === SMALL_X
    const first = at + (hex ? 2 : 1)
    let end = first
    let value = 0
    for (; end < count && end - first < LONGEST_NUMBER; end += 1) {
      const one = hexValue[codes[end] ?? EDGE] ?? -1
      if (one < 0 || (!hex && one > 9)) break
      value = value * (hex ? 16 : 10) + one
    }
    if (end === first) return 0
    this.#value = value < 0x80 ? fold(value) : EDGE
    if (codes[end] === SEMICOLON && end < count) return end + 1
    // Its next digit may be coded itself.
    return codes[end] === PERCENT || codes[end] === BACKSLASH || codes[end] === AMPERSAND ? 0 : end
  }
}

/** b, f, n, r, t: behind a backslash they are control characters. */
export const isControlLetter = (code?: number): boolean =>
  code === 98 || code === 102 || code === 110 || code === 114 || code === 116
