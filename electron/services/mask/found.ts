/** Where a token is. */
export interface TokenSpan {
  readonly start: number
  readonly end: number
  /** A number outside strings, which only digits can replace. */
  readonly digits: boolean
}

export interface TokenSpans {
  readonly spans: readonly TokenSpan[]
  /** Everything before this place is decided; bytes after it may still turn out to be part of a token. */
  readonly done: number
  /** The character before `done`. */
  readonly before: number
}

/** How bytes are searched. */
export interface How {
  /** The bytes are JSON, and masking must leave them well formed. */
  readonly json: boolean
  /** No more bytes follow. */
  readonly final: boolean
  /** The character before the first byte. */
  readonly before?: number
}
