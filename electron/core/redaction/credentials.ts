import { isCredentialName, mayBeGrantCode } from './member-kinds.ts'
import { isInterfaceName } from './interface-names.ts'
import { decodeBase64 } from './string-shapes.ts'

/** A shorter value may stand anywhere by chance. */
const MIN_CREDENTIAL_CHARS = 6
/** Cookies hold settings, too. */
const MIN_COOKIE_CHARS = 16
/** More of them are no credentials of one recording, and each has to be searched for. */
const MAX_CREDENTIALS = 500
const SCHEME = /^[A-Za-z][\w-]{1,20} +(?=\S)/

/** Returns true for a credential in a query, form or fragment (RFC 6749 and 6750). */
export function isSecretParameter(name: string): boolean {
  return isCredentialName(name) || mayBeGrantCode(name)
}

/** Values of credentials, which may stand again where nothing says what they are. */
export class Credentials {
  readonly #values = new Set<string>()

  get values(): readonly string[] {
    return [...this.#values]
  }

  add(value: string): void {
    const isMasked = /^\**$|^\[redacted\]$/.test(value)
    if (isMasked || value.length < MIN_CREDENTIAL_CHARS || isInterfaceName(value, '')) return
    if (this.#values.size < MAX_CREDENTIALS) this.#values.add(value)
  }

  addParameters(parameters: readonly (readonly [name: string, value: string])[]): void {
    for (const [name, value] of parameters) if (isSecretParameter(name)) this.add(value)
  }

  addHeader(name: string, value: string): void {
    if (/^(?:set-)?cookie2?$/i.test(name)) {
      const values = value.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
      for (const cookie of values) if (cookie.length >= MIN_COOKIE_CHARS) this.add(cookie)
    } else if (isCredentialName(name)) this.#addAuthorization(value)
  }

  #addAuthorization(value: string): void {
    const [scheme = ''] = SCHEME.exec(value) ?? []
    const credential = value.slice(scheme.length).trim()
    this.add(credential)
    const bytes = /^basic /i.test(scheme) ? decodeBase64(credential) : null
    if (bytes !== null) this.add(new TextDecoder().decode(bytes).replace(/^[^:]*:/, ''))
  }
}
