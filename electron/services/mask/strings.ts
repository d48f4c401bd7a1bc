import { BACKSLASH, QUOTE } from './decode.ts'

const COLON = 58

/** Tells which places of a JSON text are inside strings, from front to back. */
export class Strings {
  readonly #bytes: Buffer
  #at = 0
  #inside = false

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  holds(place: number): boolean {
    for (; this.#at < place; this.#at += 1) {
      const byte = this.#bytes[this.#at]
      if (byte === QUOTE) this.#inside = !this.#inside
      else if (byte === BACKSLASH && this.#inside) this.#at += 1
    }
    return this.#inside
  }
}

/** Whether these bytes are the whole name of a member. */
export function isName(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start - 1] !== QUOTE || bytes[end] !== QUOTE) return false
  let at = end + 1
  while (bytes[at] === 32 || bytes[at] === 9 || bytes[at] === 10 || bytes[at] === 13) at += 1
  return bytes[at] === COLON
}
