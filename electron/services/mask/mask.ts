/**
 * Hides tokens that a host sends back: plain, escaped once for JSON or an address, in base64 or in
 * hex. Other encodings, and encodings within encodings, are not searched (docs/guide/hosts.md says
 * so). Read this file first; `forms.ts` lists the forms and `finder.ts` finds them.
 */
import { CONTEXT_BYTES, TokenFinder } from './finder.ts'

/** Replaces a token in a text whose length may change. */
export const MASK_TEXT = '[redacted]'

/**
 * Bytes of the next piece that are searched together with the undecided end of the previous piece.
 */
const SEAM_BYTES = 512

const STAR_CODE = '*'.charCodeAt(0)
const DIGIT_ONE_CODE = '1'.charCodeAt(0)

/** Finders are cached because masking uses the same few tokens all the time. */
const MAX_FINDERS = 8
const finders = new Map<string, TokenFinder | null>()

function getFinder(token: string | null): TokenFinder | null {
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

export class TokenMask {
  readonly #finder: TokenFinder | null

  private constructor(finder: TokenFinder | null) {
    this.#finder = finder
  }

  static forTokens(tokens: readonly string[]): TokenMask {
    return new TokenMask(TokenFinder.forTokens(tokens))
  }

  static forToken(token: string | null): TokenMask {
    return new TokenMask(getFinder(token))
  }

  /** Returns the text with every token replaced by `[redacted]`; the same text if there is none. */
  conceal(text: string): string {
    if (!this.#finder?.canMatch(text)) return text
    // One byte per character, so that byte positions are text positions.
    const bytes = Buffer.from(text.replace(/[^\0-\x7f]/g, '\x80'), 'latin1')
    const { spans } = this.#finder.findSpans(bytes, {})
    if (spans.length === 0) return text
    const parts = spans.map(({ start }, index) => text.slice(spans[index - 1]?.end ?? 0, start) + MASK_TEXT)
    return parts.join('') + text.slice(spans.at(-1)?.end)
  }

  /** Creates a mask for bytes that arrive in pieces. */
  createStream(): MaskStream {
    return new MaskStream(null, this.#finder)
  }

  /**
   * Masks tokens in place. Each byte becomes a star, so that the length stays the same; with
   * `isJson`, valid JSON stays valid.
   * @returns Number of tokens that were masked.
   */
  maskInPlace(bytes: Uint8Array, isJson: boolean): number {
    const spans = this.#finder?.findSpans(bytes, { isJson }).spans ?? []
    for (const { start, end, isNumber } of spans) bytes.fill(isNumber ? DIGIT_ONE_CODE : STAR_CODE, start, end)
    return spans.length
  }
}

/**
 * Masks a token in the bytes of a response, in place. Hosts may echo the request, and the token
 * must not reach a page.
 */
export const maskBytes = (bytes: Uint8Array, token: string | null, isJson: boolean): number =>
  TokenMask.forToken(token).maskInPlace(bytes, isJson)

/**
 * Masks a token in a text that arrives in pieces, even if it begins in one piece and ends in
 * another.
 */
export class MaskStream {
  readonly #finder: TokenFinder | null
  /** Bytes that may be the beginning of a token, and before them a few decided bytes as context. */
  #undecided: Buffer = Buffer.alloc(0)
  #contextBytes = 0
  #count = 0

  constructor(token: string | null, finder = getFinder(token)) {
    this.#finder = finder
  }

  get maskedCount(): number {
    return this.#count
  }

  /**
   * Returns the decided bytes; those that may be the beginning of a token wait for the next piece.
   */
  push(piece: Buffer): Buffer {
    // The piece is copied because its buffer may have other readers.
    return this.#finder ? this.#maskDecided(Buffer.concat([this.#undecided, piece]), this.#contextBytes, false) : piece
  }

  /**
   * Like `push` for a piece without other readers: passes the decided bytes to `onPart` in up to
   * two buffers, the longer of which is the piece itself, masked in place. Copying every piece
   * would cost more than searching it.
   */
  pushOwned(piece: Buffer, onPart: (part: Buffer) => void): void {
    const emitPart = (part: Buffer): void => {
      if (part.byteLength > 0) onPart(part)
    }
    if (this.#undecided.byteLength === 0 && this.#finder) return emitPart(this.#maskDecided(piece, 0, false))
    if (piece.byteLength <= SEAM_BYTES) return emitPart(this.push(piece))
    emitPart(this.push(piece.subarray(0, SEAM_BYTES)))
    const undecidedBytes = this.#undecided.byteLength
    if (undecidedBytes > SEAM_BYTES) return emitPart(this.push(piece.subarray(SEAM_BYTES)))
    // The undecided bytes are the end of the seam, which was copied from the piece.
    const remaining = piece.subarray(SEAM_BYTES - undecidedBytes)
    this.#undecided.copy(remaining)
    emitPart(this.#maskDecided(remaining, this.#contextBytes, false))
  }

  /** Returns the bytes that are still undecided, masked. */
  end(): Buffer {
    return this.#maskDecided(this.#undecided, this.#contextBytes, true)
  }

  #maskDecided(bytes: Buffer, from: number, isFinal: boolean): Buffer {
    const { spans, decidedEnd } = this.#finder?.findSpans(bytes, { from, isFinal }) ?? {
      spans: [],
      decidedEnd: bytes.byteLength,
    }
    for (const { start, end } of spans) bytes.fill(STAR_CODE, start, end)
    this.#count += spans.length
    this.#contextBytes = Math.min(decidedEnd, CONTEXT_BYTES)
    // A copy, so that a few bytes do not keep the entire piece in memory.
    this.#undecided = Buffer.from(bytes.subarray(decidedEnd - this.#contextBytes))
    return bytes.subarray(from, decidedEnd)
  }
}
