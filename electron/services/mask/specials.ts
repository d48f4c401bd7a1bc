import { AMPERSAND, BACKSLASH, NUL, PERCENT } from './decode.ts'

/** So many bytes are looked at one by one before a search through all of them is worth its call. */
const NEAR = 48
const marks = [BACKSLASH, PERCENT, AMPERSAND, NUL]

export const isSpecial = (byte: number | undefined): boolean =>
  byte === BACKSLASH || byte === PERCENT || byte === AMPERSAND || byte === NUL

/** Finds, from front to back, the bytes that may begin an escape. */
export class Specials {
  readonly #bytes: Buffer
  /** Where each of the marks is next; -1 = to be looked for. */
  readonly #next = marks.map(() => -1)

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** The first one from `from` on, or the end of the bytes. */
  after(from: number): number {
    const { length } = this.#bytes
    const near = Math.min(from + NEAR, length)
    for (let at = from; at < near; at += 1) if (isSpecial(this.#bytes[at])) return at
    let first = length
    for (const [which, mark] of marks.entries()) {
      let place = this.#next[which] ?? -1
      if (place < near) {
        place = this.#bytes.indexOf(mark, near)
        if (place < 0) place = length
        this.#next[which] = place
      }
      first = Math.min(first, place)
    }
    return first
  }

  /** The last one in front of `to`, not before `from`. */
  last(from: number, to: number): number {
    let at = to - 1
    while (at > from && !isSpecial(this.#bytes[at])) at -= 1
    return at
  }
}
