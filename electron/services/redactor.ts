import { MIN_UNMISTAKABLE_CHARS, MIN_TOKEN_CHARS } from './mask/forms.ts'
import { MASK_TEXT, TokenMask } from './mask/mask.ts'

/** Secrets that are masked unregistered. In JSON inside JSON the quotes are escaped. */
const SECRET_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/mnb0\.[A-Za-z0-9._~+/=%-]+/gi, MASK_TEXT],
  [/((?:authorization|cookie)\\*"?\s*[:=]\s*\\*"?)[^"\\\s][^"\\\r\n]*/gi, `$1${MASK_TEXT}`],
  [/\b(Bearer|Basic|Token)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${MASK_TEXT}`],
  [/((?:token|key|secret)\\*"?\s*[:=]\s*\\*"?)[^\s"\\',;}&]{6,}/gi, `$1${MASK_TEXT}`],
]

/** The token of a bridge, even if it was not registered. */
const BRIDGE_TOKEN_PATTERN = /mnb0\.[A-Za-z0-9._~+/=%-]{16}/i

/** Removes known tokens in every form that `mask` finds, and what looks like a token. */
export class Redactor {
  readonly #tokens = new Set<string>()
  readonly #listeners: ((tokens: readonly string[]) => void)[] = []
  #allTokens = TokenMask.forTokens([])
  /** Masks only tokens that are too long to be a word. */
  #unmistakableTokens = TokenMask.forTokens([])

  get tokens(): readonly string[] {
    return [...this.#tokens]
  }

  /** Calls the listener with all known tokens, now and for each new one, for threads that mask. */
  onRegister(listener: (tokens: readonly string[]) => void): void {
    this.#listeners.push(listener)
    listener([...this.#tokens])
  }

  register(token: string): void {
    if (token.length < MIN_TOKEN_CHARS || this.#tokens.has(token)) return
    this.#tokens.add(token)
    const tokens = [...this.#tokens]
    this.#allTokens = TokenMask.forTokens(tokens)
    this.#unmistakableTokens = TokenMask.forTokens(tokens.filter(({ length }) => length >= MIN_UNMISTAKABLE_CHARS))
    for (const listener of this.#listeners) listener(tokens)
  }

  /**
   * Removes known tokens from a text that a page shows, but no text that merely looks like a token.
   * Tokens that could be a word stay, because a gap in an address or a name would be worse. In
   * responses they are masked on arrival.
   */
  conceal(text: string): string {
    return this.#unmistakableTokens.conceal(text)
  }

  /**
   * True if a text contains a known token (a short one only as a word), or a text with the form of
   * a bridge's token, also within JSON inside JSON. Such a text is refused instead of stored,
   * because a masked text would no longer be what the user wrote.
   */
  holdsToken(text: string): boolean {
    // JSON inside JSON has more backslashes.
    const texts = new Set([text, text.replace(/\\+/g, '\\')])
    return BRIDGE_TOKEN_PATTERN.test(text) || [...texts].some((variant) => this.#allTokens.conceal(variant) !== variant)
  }

  redact(text: string): string {
    let redacted = this.#allTokens.conceal(text)
    for (const [pattern, mask] of SECRET_PATTERNS) redacted = redacted.replace(pattern, mask)
    return redacted
  }
}
