import type { Header } from '../../../shared/traffic/exchange.ts'
import type { AddressRedactor } from './address-redactor.ts'
import { SECRET_NAME } from '../../../shared/recordings/redaction/member-kinds.ts'
import { isMediaType, isNumberText } from '../../../shared/recordings/redaction/string-shapes.ts'
import type { StringRedactor } from './string-redactor.ts'

/** Values of these headers consist of words, numbers and times of HTTP. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'accept-ranges', 'access-control-allow-credentials'],
  ...['access-control-allow-headers', 'access-control-allow-methods', 'access-control-max-age', 'age', 'allow'],
  ...['cache-control', 'connection', 'content-encoding', 'content-language', 'content-length', 'content-range'],
  ...['cross-origin-resource-policy', 'date', 'dnt', 'expires', 'if-modified-since', 'if-unmodified-since'],
  ...['keep-alive', 'last-modified', 'pragma', 'range', 'retry-after', 'sec-fetch-dest', 'sec-fetch-mode'],
  ...['sec-fetch-site', 'sec-fetch-user', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'vary'],
  ...['x-content-type-options', 'x-frame-options'],
])
/** Such values have words of HTTP, numbers, times and media types, and no text of a library. */
const PLAIN_VALUE = /^[A-Za-z0-9 ,;:=*./+_"-]{1,200}$/
const PLAIN_WORDS: ReadonlySet<string> = new Set(
  'application image text audio video json html plain xml png jpeg webp gif avif svg pdf octet stream markdown javascript css mpeg mp bytes none gzip deflate br zstd identity chunked close keep alive timeout max age no cache store transform must revalidate proxy public private immutable stale while error sec ch ua fetch same origin cross site cors navigate document empty true false get head post put patch delete options trailers websocket accept encoding language content type length range authorization cookie user agent nosniff deny sameorigin mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep oct nov dec gmt utc en us gb zh cn tw hans hant de fr ja q charset utf iso'.split(
    ' ',
  ),
)
/** Headers whose names say nothing, whatever their values say. */
const KNOWN_NAMES =
  /^(?:x-request-id|x-requested-with|x-powered-by|user-agent|server|via|host|link|from|forwarded|x-forwarded-\w+|content-type|content-disposition|content-security-policy|strict-transport-security|x-addon|x-plugin|origin|referer|sec-ch-ua[\w-]*)$/
const SECRET_HEADERS = /^(?:(?:proxy-)?authorization|(?:set-)?cookie2?|x-api-key|x-api-token|www-authenticate)$/
const ADDRESS_HEADERS: ReadonlySet<string> = new Set([
  'location',
  'content-location',
  'referer',
  'origin',
  'access-control-allow-origin',
])
const TAG_HEADERS: ReadonlySet<string> = new Set(['etag', 'if-match', 'if-none-match', 'if-range'])
/** They would have to be computed anew, and say nothing that the new body does not say. */
const DIGEST_HEADERS: ReadonlySet<string> = new Set([
  ...['content-md5', 'digest', 'content-digest', 'repr-digest', 'want-digest', 'want-content-digest', 'signature'],
])

/** What became of the body to which the headers belong. */
export interface RedactedBodySize {
  readonly isChanged: boolean
  /** Null if there is no body any more. */
  readonly bytes: number | null
  readonly mediaType: string | null
}

/** Redacts headers, so that they are still those of the body that remains. */
export class HeaderRedactor {
  readonly #strings: StringRedactor
  readonly #addresses: AddressRedactor

  constructor(strings: StringRedactor, addresses: AddressRedactor) {
    this.#strings = strings
    this.#addresses = addresses
  }

  redactHeaders(headers: readonly Header[], body: RedactedBodySize): Header[] {
    const isEncoded = headers.some(([name]) => name.toLowerCase() === 'content-encoding')
    return headers.flatMap(([name, value]): Header[] => {
      const plainName = name.toLowerCase()
      if (body.isChanged && DIGEST_HEADERS.has(plainName)) return []
      if (body.isChanged && plainName === 'content-length')
        return body.bytes === null || isEncoded ? [] : [[name, String(body.bytes)]]
      if (body.isChanged && body.mediaType !== null && plainName === 'content-type') return [[name, body.mediaType]]
      return [[this.#redactName(name), toHeaderText(this.#redactValue(plainName, value))]]
    })
  }

  /** Redacts a media type with its parameters. */
  redactMediaType(value: string): string {
    const [type = '', ...parameters] = value.split(';')
    const essence = type.trim().toLowerCase()
    if (essence !== '' && !isMediaType(essence)) return this.#strings.redactText(value, { isRequired: true })
    const redacted = parameters.map((parameter) => {
      if (/^\s*charset\s*=\s*"?[\w-]{1,20}"?\s*$/i.test(parameter)) return parameter
      return this.#redactParameter(parameter)
    })
    return [type, ...redacted].join(';')
  }

  #redactName(name: string): string {
    const plainName = name.toLowerCase()
    const lists = [PLAIN_HEADERS, ADDRESS_HEADERS, TAG_HEADERS, DIGEST_HEADERS]
    const isKnown =
      lists.some((list) => list.has(plainName)) || KNOWN_NAMES.test(plainName) || SECRET_HEADERS.test(plainName)
    return isKnown || this.#strings.policy.texts === 'keep'
      ? name
      : this.#strings.redactName(name).replace(/[^\w-]/g, '-')
  }

  #redactValue(name: string, value: string): string {
    const isSecret = SECRET_HEADERS.test(name) || SECRET_NAME.test(name)
    if (isSecret) return this.#redactSecret(value)
    if (this.#strings.keepsAll) return value
    if (name === 'content-type') return this.redactMediaType(value)
    if (name === 'host') return this.#addresses.redactAuthority(value)
    if (ADDRESS_HEADERS.has(name)) return isPlainValue(value) ? value : this.#addresses.redactAddress(value)
    if (TAG_HEADERS.has(name)) return this.#redactTags(value)
    if (name === 'content-disposition') return this.#redactDisposition(value)
    if (PLAIN_HEADERS.has(name) && isPlainValue(value)) return value
    if (isNumberText(value)) return value
    return this.#strings.redact(value, { kind: 'looseId', name, isRequired: true })
  }

  #redactSecret(value: string): string {
    this.#strings.tally.countToken()
    const [, scheme = ''] = /^((?:Bearer|Basic|Token) )/i.exec(value) ?? []
    return scheme + '*'.repeat(value.length - scheme.length)
  }

  /** Each tag is replaced by itself, so that a condition still names the same one. */
  #redactTags(value: string): string {
    return value
      .split(/("[^"]*")/)
      .map((part, index) => {
        if (index % 2 === 1)
          return `"${this.#strings.redact(part.slice(1, -1), { kind: 'looseId', name: 'etag', isRequired: true })}"`
        return /^(?:,?\s*(?:W\/)?|\*)$/.test(part.trimStart()) || isPlainValue(part)
          ? part
          : this.#strings.redactText(part, { isRequired: true })
      })
      .join('')
  }

  #redactDisposition(value: string): string {
    const [type = '', ...parameters] = (value.match(/(?:^|;)(?:[^";]|"[^"]*"?)*/g) ?? []).map((part) =>
      part.replace(/^;/, ''),
    )
    const redactedType = /^\s*(?:attachment|inline|form-data)\s*$/i.test(type) ? type : this.#strings.redactText(type)
    return [redactedType, ...parameters.map((parameter) => this.#redactParameter(parameter))].join(';')
  }

  /** Redacts `filename="a.pdf"` and `filename*=UTF-8''a.pdf`. */
  #redactParameter(parameter: string): string {
    const [, name = '', encoding = '', quoted = parameter] =
      /^(\s*[A-Za-z-]{1,20}\*?\s*=\s*(?!\s))((?:[\w-]+'[\w-]*')?)(.*)$/s.exec(parameter) ?? []
    if (encoding !== '') return name + encoding + encodeURIComponent(this.#strings.redactFile(decode(quoted)))
    const isQuoted = /^".*"\s*$/s.test(quoted)
    const text = isQuoted ? quoted.trim().slice(1, -1).replace(/\\(.)/g, '$1') : quoted
    const redacted = this.#strings.redactFile(decode(text))
    return name + (isQuoted ? `"${redacted}"` : redacted)
  }
}

const isPlainValue = (value: string): boolean =>
  PLAIN_VALUE.test(value) && (value.match(/[A-Za-z]+/g) ?? []).every((word) => PLAIN_WORDS.has(word.toLowerCase()))

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Headers hold bytes; other characters could not be sent. */
const toHeaderText = (text: string): string => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, 'x')
