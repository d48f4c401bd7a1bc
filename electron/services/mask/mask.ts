import { EDGE } from './decode.ts'
import { Finder } from './finder.ts'

/** Replaces a token in a text whose length may change. */
export const MASK = '[redacted]'

/** How much of the next piece is searched together with what waits from the last one. */
const SEAM = 512

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
 * Masks a token in the bytes of an answer, in place: hosts echo what they were sent, and the token must not reach a page. Each byte
 * becomes a star, so that the text keeps its length and stays well formed; with `json` it stays valid JSON. Returns how many times the
 * token was found.
 */
export function maskBytes(bytes: Uint8Array, token: string | null, json: boolean): number {
  return maskFound(bytes, token === null ? null : finderFor(token), json)
}

function maskFound(bytes: Uint8Array, finder: Finder | null, json: boolean): number {
  if (!finder) return 0
  const { spans } = finder.find(bytes, { json, final: true })
  for (const { start, end, digits } of spans) hide(bytes, start, end, digits ? ONE : STAR)
  return spans.length
}

/** Masks any of several tokens in bytes that are kept. */
export class ByteMask {
  readonly #finder: Finder | null

  constructor(tokens: readonly string[]) {
    this.#finder = Finder.of(tokens)
  }

  /** Masks in place, as `maskBytes` does; returns how many tokens were found. */
  mask(bytes: Uint8Array, json: boolean): number {
    return maskFound(bytes, this.#finder, json)
  }
}

function hide(bytes: Uint8Array, start: number, end: number, by: number): void {
  // In UTF-16 every other byte is not a character.
  for (let at = start; at < end; at += 1) if (bytes[at] !== 0) bytes[at] = by
}

/** Masks a token in a text that arrives in pieces, even if it begins in one piece and ends in another. */
export class MaskStream {
  readonly #finder: Finder | null
  #rest: Buffer = Buffer.alloc(0)
  #before = EDGE
  #count = 0

  constructor(token: string | null) {
    this.#finder = token === null ? null : finderFor(token)
  }

  /** How many tokens were masked so far. */
  get count(): number {
    return this.#count
  }

  /** The part of the next piece that is decided; what may be the beginning of a token waits for more. */
  push(piece: Buffer): Buffer {
    return this.#take(piece, false)
  }

  /**
   * The same for a piece that nobody else reads: hands the decided part over in up to two buffers, the longer of which is the piece itself,
   * masked in place. Copying every piece costs more than searching it.
   */
  pass(piece: Buffer, onPart: (part: Buffer) => void): void {
    let own = piece
    if (this.#rest.byteLength > 0) {
      // Only what is around the seam is put together.
      const seam = this.#take(piece.subarray(0, SEAM), false)
      if (seam.byteLength > 0) onPart(seam)
      const left = this.#rest.byteLength
      if (piece.byteLength <= SEAM) return
      if (left > SEAM) {
        const decided = this.#take(piece.subarray(SEAM), false)
        if (decided.byteLength > 0) onPart(decided)
        return
      }
      own = piece.subarray(SEAM - left)
    }
    const decided = this.#mask(own, false)
    // A copy, so that a few bytes do not keep the whole piece.
    this.#rest = Buffer.from(this.#rest)
    if (decided.byteLength > 0) onPart(decided)
  }

  /** What is still waiting. */
  end(): Buffer {
    return this.#take(Buffer.alloc(0), true)
  }

  #take(piece: Buffer, final: boolean): Buffer {
    // A copy, because others may be reading the buffer that the piece is part of.
    return this.#finder ? this.#mask(Buffer.concat([this.#rest, piece]), final) : piece
  }

  #mask(bytes: Buffer, final: boolean): Buffer {
    if (!this.#finder) return bytes
    const { spans, done, before } = this.#finder.find(bytes, { json: false, final, before: this.#before })
    for (const { start, end } of spans) hide(bytes, start, end, STAR)
    this.#count += spans.length
    this.#rest = bytes.subarray(done)
    this.#before = before
    return bytes.subarray(0, done)
  }
}

/** Masks tokens in texts that a person reads. */
export class TextMask {
  readonly #finder: Finder | null
  #units = new Uint8Array(1024)

  private constructor(finder: Finder | null) {
    this.#finder = finder
  }

  static of(tokens: readonly string[]): TextMask {
    return new TextMask(Finder.of(tokens))
  }

  /** For the one token that is currently in use. */
  static ofOne(token: string | null): TextMask {
    return new TextMask(token === null ? null : finderFor(token))
  }

  /** The text with every token replaced by `[redacted]`; the same text if there is none. */
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

  /** One byte per character, so that places match; characters beyond ASCII are never part of a token. */
  #bytesOf(text: string): Uint8Array {
    if (text.length > this.#units.length) this.#units = new Uint8Array(text.length)
    for (let at = 0; at < text.length; at += 1) this.#units[at] = Math.min(text.charCodeAt(at), EDGE)
    return this.#units.subarray(0, text.length)
  }
}
