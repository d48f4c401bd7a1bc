/**
 * Hides tokens that a host sends back, in the forms of `forms.ts`: plain, escaped once for JSON or
 * an address, in base64 or in hex. Other encodings, and encodings within encodings, are not
 * searched (docs/guide/hosts.md says so). `finder.ts` finds them.
 */
import { CONTEXT_BYTES, TokenFinder } from './finder.ts'

/** Replaces a token in a text whose length may change. */
export const MASK_TEXT = '[redacted]'

/** How much of the next piece is searched together with what waits from the last one. */
const SEAM_BYTES = 512

const STAR = '*'.charCodeAt(0)
const ONE = '1'.charCodeAt(0)

/** Masking looks for the same few tokens all the time. */
const MAX_FINDERS = 8
const finders = new Map<string, TokenFinder | null>()

function finderFor(token: string | null): TokenFinder | null {
  if (token === null) return null
  let finder = finders.get(token)
  if (finder === undefined) {
    finder = TokenFinder.forTokens([token])
    const [oldest] = finders.keys()
    if (finders.size >= MAX_FINDERS && oldest !== undefined) finders.delete(oldest)
    finders.set(token, finder)
  }
  return finder
}

/** Masks tokens in what is there as a whole. */
export class TokenMask {
  readonly #finder: TokenFinder | null

  private constructor(finder: TokenFinder | null) {
    this.#finder = finder
  }

  static forTokens(tokens: readonly string[]): TokenMask {
    return new TokenMask(TokenFinder.forTokens(tokens))
  }

  /** For the one token that is currently in use. */
  static forToken(token: string | null): TokenMask {
    return new TokenMask(finderFor(token))
  }

  /** The text with every token replaced by `[redacted]`; the same text if there is none. */
  conceal(text: string): string {
    if (!this.#finder?.canMatch(text)) return text
    // One byte per character, so that places match.
    const bytes = Buffer.from(text.replace(/[^\0-\x7f]/g, '\x80'), 'latin1')
    const { spans } = this.#finder.findSpans(bytes, {})
    if (spans.length === 0) return text
    const parts = spans.map(({ start }, index) => text.slice(spans[index - 1]?.end ?? 0, start) + MASK_TEXT)
    return parts.join('') + text.slice(spans.at(-1)?.end)
  }

  /**
   * Masks the bytes in place. Each becomes a star, so that the text keeps its length and stays well
   * formed; with `json` it stays valid JSON. Returns how many tokens were found.
   */
  maskInPlace(bytes: Uint8Array, json: boolean): number {
    const spans = this.#finder?.findSpans(bytes, { isJson: json }).spans ?? []
    for (const { start, end, isNumber } of spans) bytes.fill(isNumber ? ONE : STAR, start, end)
    return spans.length
  }
}

/**
 * Masks a token in the bytes of a response, in place: hosts echo what they were sent, and the token
 * must not reach a page.
 */
export const maskBytes = (bytes: Uint8Array, token: string | null, json: boolean): number =>
  TokenMask.forToken(token).maskInPlace(bytes, json)

/**
 * Masks a token in a text that arrives in pieces, even if it begins in one piece and ends in
 * another.
 */
export class MaskStream {
  readonly #finder: TokenFinder | null
  /**
   * What may be the beginning of a token, and before it a few bytes that were handed over already.
   */
  #rest: Buffer = Buffer.alloc(0)
  #from = 0
  #count = 0

  constructor(token: string | null) {
    this.#finder = finderFor(token)
  }

  /** How many tokens were masked so far. */
  get maskedCount(): number {
    return this.#count
  }

  /**
   * The part of the next piece that is decided; what may be the beginning of a token waits for
   * more.
   */
  push(piece: Buffer): Buffer {
    // A copy, because others may be reading the buffer that the piece is part of.
    return this.#finder ? this.#take(Buffer.concat([this.#rest, piece]), this.#from, false) : piece
  }

  /**
   * The same for a piece that nobody else reads: hands the decided part over in up to two buffers,
   * the longer of which is the piece itself, masked in place. Copying every piece costs more than
   * searching it.
   */
  pushOwned(piece: Buffer, onPart: (part: Buffer) => void): void {
    const handOver = (part: Buffer): void => {
      if (part.byteLength > 0) onPart(part)
    }
    if (this.#rest.byteLength === 0 && this.#finder) return handOver(this.#take(piece, 0, false))
    if (piece.byteLength <= SEAM_BYTES) return handOver(this.push(piece))
    handOver(this.push(piece.subarray(0, SEAM_BYTES)))
    const waiting = this.#rest.byteLength
    if (waiting > SEAM_BYTES) return handOver(this.push(piece.subarray(SEAM_BYTES)))
    // What waits is the end of the seam, which was copied from the piece.
    const own = piece.subarray(SEAM_BYTES - waiting)
    this.#rest.copy(own)
    handOver(this.#take(own, this.#from, false))
  }

  /** What is still waiting. */
  end(): Buffer {
    return this.#take(this.#rest, this.#from, true)
  }

  #take(bytes: Buffer, from: number, final: boolean): Buffer {
    const { spans, decidedEnd: done } = this.#finder?.findSpans(bytes, { from, isFinal: final }) ?? {
      spans: [],
      decidedEnd: bytes.byteLength,
    }
    for (const { start, end } of spans) bytes.fill(STAR, start, end)
    this.#count += spans.length
    this.#from = Math.min(done, CONTEXT_BYTES)
    // A copy, so that a few bytes do not keep the whole piece.
    this.#rest = Buffer.from(bytes.subarray(done - this.#from))
    return bytes.subarray(from, done)
  }
}
