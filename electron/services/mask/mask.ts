import { EDGE } from './decode.ts'
import { Finder } from './finder.ts'

/** What stands in the place of a token in a text whose length may change. */
export const MASK = '[redacted]'

const STAR = '*'.charCodeAt(0)
const ONE = '1'.charCodeAt(0)

/** Masking looks for the same few tokens all the time. */
const MOST_KEPT = 8
const kept = new Map<string, Finder | null>()

function finderFor(token: string): Finder | null {
  let finder = kept.get(token)
  if (finder === undefined) {
    finder = Finder.of([token])
    const [oldest] = kept.keys()
    if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest)
    kept.set(token, finder)
  }
  return finder
}

/**
 * Takes a token out of the bytes of an answer, in place: hosts echo what they were sent, and what a page gets is no place for it. A star
 * takes the place of each byte, so that the text stays as long and as well formed as it was. `json`: the bytes are JSON, and stay it.
 * Returns how many times it was found.
 */
export function maskBytes(bytes: Uint8Array, token: string | null, json: boolean): number {
  const finder = token === null ? null : finderFor(token)
  if (!finder) return 0
  const { spans } = finder.find(bytes, { json, final: true })
  for (const { start, end, digits } of spans) hide(bytes, start, end, digits ? ONE : STAR)
  return spans.length
}

function hide(bytes: Uint8Array, start: number, end: number, by: number): void {
  // In UTF-16 each other byte is no character.
  for (let at = start; at < end; at += 1) if (bytes[at] !== 0) bytes[at] = by
}

/** Masks a token in a text that comes in pieces, also where it begins in one and ends in another. */
export class MaskStream {
  readonly #finder: Finder | null
  #rest: Buffer = Buffer.alloc(0)
  #before = EDGE

  constructor(token: string | null) {
    this.#finder = token === null ? null : finderFor(token)
  }

  /** The next piece, as far as it is decided: what may be the beginning of a token waits for what follows. */
  push(piece: Buffer): Buffer {
    return this.#take(piece, false)
  }

  /** What has waited. */
  end(): Buffer {
    return this.#take(Buffer.alloc(0), true)
  }

  #take(piece: Buffer, final: boolean): Buffer {
    if (!this.#finder) return piece
    // A copy: what a piece was cut from may be read by others.
    const bytes = Buffer.concat([this.#rest, piece])
    const { spans, done, before } = this.#finder.find(bytes, { json: false, final, before: this.#before })
    for (const { start, end } of spans) hide(bytes, start, end, STAR)
    this.#rest = bytes.subarray(done)
    this.#before = before
    return bytes.subarray(0, done)
  }
}

/** Takes tokens out of texts that a person reads. */
export class TextMask {
  readonly #finder: Finder | null
  #units = new Uint8Array(1024)

  private constructor(finder: Finder | null) {
    this.#finder = finder
  }

  static of(tokens: readonly string[]): TextMask {
    return new TextMask(Finder.of(tokens))
  }

  /** For the one token that is on its way. */
  static ofOne(token: string | null): TextMask {
    return new TextMask(token === null ? null : finderFor(token))
  }

  /** The text with `[redacted]` in the place of each token; the same text where there is none. */
  conceal(text: string): string {
    const finder = this.#finder
    if (!finder?.mayBeIn(text)) return text
    const { spans } = finder.find(this.#bytesOf(text), { json: false, final: true })
    if (spans.length === 0) return text
    let clean = ''
    let at = 0
    for (const { start, end } of spans) {
      clean += text.slice(at, start) + MASK
      at = end
    }
    return clean + text.slice(at)
  }

  /** A byte for each character, so that places are the same; beyond ASCII there is nothing of a token. */
  #bytesOf(text: string): Uint8Array {
    if (text.length > this.#units.length) this.#units = new Uint8Array(text.length)
    for (let at = 0; at < text.length; at += 1) this.#units[at] = Math.min(text.charCodeAt(at), EDGE)
    return this.#units.subarray(0, text.length)
  }
}
