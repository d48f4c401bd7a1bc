import { KNOWN_BY, SHORTEST } from './mask/forms.ts'
import { MASK, TextMask } from './mask/mask.ts'

/** What may follow the first characters of a token, in any of its forms. */
const TAIL = '[A-Za-z0-9._~+/=%-]*'

/** Patterns of secrets that are masked without being registered. In JSON inside JSON, the quotes are escaped. */
const looks: readonly (readonly [RegExp, string])[] = [
  [/mnb0\.[A-Za-z0-9._~+/=%-]+/gi, MASK],
  [/((?:authorization|cookie)\\*"?\s*[:=]\s*\\*"?)[^"\\\r\n]+/gi, `$1${MASK}`],
  [/\b(Bearer|Basic|Token)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${MASK}`],
  [/((?:token|key|secret)\\*"?\s*[:=]\s*\\*"?)[^\s"\\',;}&]{6,}/gi, `$1${MASK}`],
]

/** A token of a bridge that was never registered here. */
const bridgeToken = /mnb0\.[A-Za-z0-9._~+/=%-]{16}/i

/** Forms in which a token could turn up: raw, URL-encoded, base64 (also inside a longer text), hex. */
function tokenForms(token: string): string[] {
  const bytes = Buffer.from(token)
  const forms = [token, encodeURIComponent(token), bytes.toString('hex')]
  for (const offset of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes])
    for (const encoding of ['base64', 'base64url'] as const) {
      // The characters at both ends depend on what surrounds the token.
      const inner = shifted.toString(encoding).replace(/=+$/, '')
      if (offset === 0) forms.push(inner)
      else if (inner.length >= 16) forms.push(inner.slice(4, -4))
    }
  }
  return [...new Set(forms)]
}

/**
 * Matches a token in every form, even when it is cut off after its first 16 characters; null for a token too short to be a secret. Uses the
 * flags `gi`, because hex is written in both cases.
 */
function tokenPattern(token: string): RegExp | null {
  if (token.length < SHORTEST) return null
  const forms = tokenForms(token)
  const beginnings = forms
    .filter(({ length }) => length > KNOWN_BY)
    .map((form) => quoted(form.slice(0, KNOWN_BY)) + TAIL)
  const bytes = [...Buffer.from(token).subarray(0, KNOWN_BY)].map((byte) => byte.toString(16).padStart(2, '0'))
  // Whole forms first, because the beginning of one may be the beginning of another.
  return new RegExp(
    [...forms.map(quoted), ...beginnings, `${bytes.join('[ :,]')}(?:[ :,][0-9a-f]{2})*`].join('|'),
    'gi',
  )
}

/** JSON inside JSON puts any number of backslashes before some characters. */
const quoted = (text: string): string =>
  text
    .split(/\\+/)
    .map((part) => [...part].map((one) => one.replace(/[.*+?^${}()|[\]]/, '\\$&')).join('\\\\*'))
    .join('\\\\+')

/** Removes every known token from a text, in any form, and everything that looks like one. */
export class Redactor {
  readonly #patterns = new Map<string, RegExp>()
  readonly #listeners: ((tokens: readonly string[]) => void)[] = []
  /** Tokens that cannot be mistaken for a word. */
  #unmistakable = TextMask.of([])

  /** Tells of all known tokens, now and whenever there is another one: for whoever masks in another thread. */
  onRegister(listener: (tokens: readonly string[]) => void): void {
    this.#listeners.push(listener)
    listener([...this.#patterns.keys()])
  }

  register(token: string): void {
    const pattern = tokenPattern(token)
    if (!pattern || this.#patterns.has(token)) return
    this.#patterns.set(token, pattern)
    const tokens = [...this.#patterns.keys()]
    this.#unmistakable = TextMask.of(tokens.filter(({ length }) => length >= KNOWN_BY))
    for (const listener of this.#listeners) listener(tokens)
  }

  /**
   * Removes known tokens from a text that a page shows, however they are written, but nothing that merely looks like one. Tokens that
   * could be a word stay: an address or name with a hole in it would be worse. In the host's answers those are masked on arrival.
   */
  conceal(text: string): string {
    return this.#unmistakable.conceal(text)
  }

  /**
   * Whether a text contains a known token, however it is written (a short one where it stands alone), or what can only be the token of a
   * bridge. For what would be kept on disk: it is refused there, because a masked text would no longer be what the user wrote.
   */
  holdsToken(text: string): boolean {
    return bridgeToken.test(text) || TextMask.of([...this.#patterns.keys()]).conceal(text) !== text
  }

  redact(text: string): string {
    let clean = text
    for (const pattern of this.#patterns.values()) clean = clean.replace(pattern, MASK)
    clean = this.conceal(clean)
    for (const [pattern, mask] of looks) clean = clean.replace(pattern, mask)
    return clean
  }
}
