/** Stands for whatever no token holds: characters beyond ASCII, control characters, the quote that ends a JSON string. */
export const EDGE = 0x80
/** How many layers of encoding are undone: JSON inside an entity inside a percent-encoded address, and so on. */
const LAYERS = 6
/** Bytes that may begin an encoded character. In UTF-16, NUL stands between the characters. */
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

/** Value of a hex digit; -1 for anything else. */
export const hexOf = (byte = 0): number => hexValue[fold(byte)] ?? -1

/** HTML entities for characters that a token may hold; names in lower case. */
const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", plus: '+', sol: '/', bsol: '\\', period: '.', equals: '=' },
  ...{ lowbar: '_', underbar: '_', percnt: '%', num: '#', colon: ':', semi: ';', comma: ',', commat: '@', excl: '!' },
  ...{ quest: '?', dollar: '$', ast: '*', midast: '*', hat: '^', grave: '`', verbar: '|', vert: '|', lpar: '(' },
  ...{ rpar: ')', lsqb: '[', lbrack: '[', rsqb: ']', rbrack: ']', lcub: '{', lbrace: '{', rcub: '}', rbrace: '}' },
}
const LONGEST_NAME = 9
const LONGEST_NUMBER = 9

/**
 * Reads bytes as the characters they stand for, however those are written: JSON escapes (including JSON inside JSON, where backslashes
 * multiply), percent encoding, entities, UTF-16. The result is in lower case and leaves out backslashes. After `run`, the arrays hold
 * `count` characters, each with the bytes it was read from.
 */
export class Decoder {
  codes = new Uint8Array(256)
  starts = new Int32Array(256)
  ends = new Int32Array(256)
  count = 0
  readonly #keepsLetters: boolean

  /** `keepsLetters`: in `\n`, the `n` may be a letter of the token after one of its backslashes, not a line break. */
  constructor(keepsLetters = false) {
    this.#keepsLetters = keepsLetters
  }

  /** Reads the bytes from `from` up to, but not including, `to`. In JSON, a quote without a backslash ends or begins a string. */
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

  /** Undoes one layer in place, since an escape is never shorter than what it stands for. Returns false if there was nothing to undo. */
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

  /** A backslash that escapes nothing stands for itself; the same characters without it match just as well. */
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

  /** Index after a JSON or JavaScript escape; 0 if it is not one, or if its letters are encoded themselves. */
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

  /** Index after this many hex digits; 0 if they are not there. */
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

  /** Index after a named or numeric entity; 0 if there is none. A numeric one may lack its semicolon. */
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
    // Its next digit may itself be encoded.
    return codes[end] === PERCENT || codes[end] === BACKSLASH || codes[end] === AMPERSAND ? 0 : end
  }
}

/** b, f, n, r, t: after a backslash they stand for control characters. */
export const isControlLetter = (code?: number): boolean =>
  code === 98 || code === 102 || code === 110 || code === 114 || code === 116
