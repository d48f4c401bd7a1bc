/** Where a token stands. */
export interface TokenSpan {
  readonly start: number
  readonly end: number
  /** A number outside of strings, which only digits can stand in for. */
  readonly digits: boolean
}

export interface TokenSpans {
  readonly spans: readonly TokenSpan[]
  /** Bytes in front of this are decided; behind it more bytes may make a token of what is there. */
  readonly done: number
  /** The character in front of `done`. */
  readonly before: number
}

/** How bytes are looked through. */
export interface How {
  /** The bytes are JSON: what is masked must leave it well formed. */
  readonly json: boolean
  /** No more bytes follow. */
  readonly final: boolean
  /** The character in front of the first byte. */
  readonly before?: number
}
