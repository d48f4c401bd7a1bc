import { MIN_UNMISTAKABLE_CHARS, MIN_TOKEN_CHARS } from './mask/forms.ts'
import { MASK_TEXT, TokenMask } from './mask/mask.ts'

/** Patterns of secrets that are masked without being registered. In JSON inside JSON, the quotes are escaped. */
const looks: readonly (readonly [RegExp, string])[] = [
  [/mnb0\.[A-Za-z0-9._~+/=%-]+/gi, MASK_TEXT],
  [/((?:authorization|cookie)\\*"?\s*[:=]\s*\\*"?)[^"\\\r\n]+/gi, `$1${MASK_TEXT}`],
  [/\b(Bearer|Basic|Token)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${MASK_TEXT}`],
  [/((?:token|key|secret)\\*"?\s*[:=]\s*\\*"?)[^\s"\\',;}&]{6,}/gi, `$1${MASK_TEXT}`],
]

/** A token of a bridge that was never registered here. */
const bridgeToken = /mnb0\.[A-Za-z0-9._~+/=%-]{16}/i

/** Removes every known token from a text, in the forms of `mask`, and everything that looks like one. */
export class Redactor {
  readonly #tokens = new Set<string>()
  readonly #listeners: ((tokens: readonly string[]) => void)[] = []
  #all = TokenMask.forTokens([])
  /** Of tokens that cannot be mistaken for a word. */
  #unmistakable = TokenMask.forTokens([])

  /** Tells of all known tokens, now and whenever there is another one: for whoever masks in another thread. */
  onRegister(listener: (tokens: readonly string[]) => void): void {
    this.#listeners.push(listener)
    listener([...this.#tokens])
  }

  register(token: string): void {
    if (token.length < MIN_TOKEN_CHARS || this.#tokens.has(token)) return
    this.#tokens.add(token)
    const tokens = [...this.#tokens]
    this.#all = TokenMask.forTokens(tokens)
    this.#unmistakable = TokenMask.forTokens(tokens.filter(({ length }) => length >= MIN_UNMISTAKABLE_CHARS))
    for (const listener of this.#listeners) listener(tokens)
  }

  /**
   * Removes known tokens from a text that a page shows, but nothing that merely looks like one. Tokens that could be a word stay: an
   * address or name with a hole in it would be worse. In the host's answers those are masked on arrival.
   */
  conceal(text: string): string {
    return this.#unmistakable.conceal(text)
  }

  /**
   * Whether a text contains a known token (a short one where it stands alone), or what can only be the token of a bridge; in JSON also
   * within JSON. For what would be kept on disk: it is refused there, because a masked text would no longer be what the user wrote.
   */
  holdsToken(text: string): boolean {
    // JSON inside JSON differs by more backslashes.
    const texts = new Set([text, text.replace(/\\+/g, '\\')])
    return bridgeToken.test(text) || [...texts].some((one) => this.#all.conceal(one) !== one)
  }

  redact(text: string): string {
    let clean = this.#all.conceal(text)
    for (const [pattern, mask] of looks) clean = clean.replace(pattern, mask)
    return clean
  }
}
