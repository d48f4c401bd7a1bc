import { AMPERSAND, BACKSLASH, NUL, PERCENT } from './decode.ts'

/** How many bytes are checked one by one before searching through all of them pays off. */
const NEAR = 48
const marks = [BACKSLASH, PERCENT, AMPERSAND, NUL]

export const isSpecial = (byte: number | undefined): boolean =>
  byte === BACKSLASH || byte === PERCENT || byte === AMPERSAND || byte === NUL

/** Finds the bytes that may begin an escape, from front to back. */
export class Specials {
  readonly #bytes: Buffer
  /** Where each mark comes next; -1 if not searched for yet. */
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
    for (let which = 0; which < marks.length; which += 1) {
      let place = this.#next[which] ?? -1
      if (place < near) {
        place = this.#bytes.indexOf(marks[which] ?? 0, near)
        if (place < 0) place = length
        this.#next[which] = place
      }
      if (place < first) first = place
    }
    return first
  }

  /** The last one before `to`, but not before `from`. */
  last(from: number, to: number): number {
    let at = to - 1
    while (at > from && !isSpecial(this.#bytes[at])) at -= 1
    return at
  }
}
