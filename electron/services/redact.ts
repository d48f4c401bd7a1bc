const MASK = '[redacted]'

/** Looks of secrets that are masked although nobody registered them. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/mnb0\.[A-Za-z0-9._~+/=-]+/g, MASK],
  [/\b(Bearer|Basic|Token)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${MASK}`],
  [
    /("?(?:authorization|cookie|set-cookie|x-[a-z-]*token|token|key|secret)"?\s*[:=]\s*"?)[^\s"',;}]{6,}/gi,
    `$1${MASK}`,
  ],
]

/** Forms in which a token could turn up: raw, base64, URL-encoded, hex, and its first 16 characters. */
export function formsOf(token: string): string[] {
  const forms = [
    token,
    Buffer.from(token).toString('base64'),
    Buffer.from(token).toString('base64url'),
    encodeURIComponent(token),
    Buffer.from(token).toString('hex'),
  ]
  if (token.length > 16) forms.push(token.slice(0, 16))
  return [...new Set(forms)].sort((a, b) => b.length - a.length)
}

/** Takes every known token, in any form, and everything that looks like one, out of a text. */
export class Redactor {
  readonly #forms = new Set<string>()

  /** Tokens shorter than 4 characters are left to the patterns: masking them would mask half of every text. */
  register(token: string): void {
    if (token.length < 4) return
    for (const form of formsOf(token)) this.#forms.add(form)
  }

  redact(text: string): string {
    let clean = text
    for (const form of this.#forms) clean = clean.replaceAll(form, MASK)
    for (const [pattern, mask] of patterns) clean = clean.replace(pattern, mask)
    return clean
  }
}
