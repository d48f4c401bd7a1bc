import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'
import type { Header } from '../../../shared/traffic/exchange.ts'
import { redactAddress, redactAuthority } from './addresses.ts'
import { getKindOfMember, isCredentialName } from './member-kinds.ts'
import { isMediaType, isNumberText } from './string-shapes.ts'
import type { StringRedactor } from './string-redactor.ts'

/** Values of these headers consist of words, numbers and times of HTTP. */
const PLAIN_HEADERS: ReadonlySet<string> = toWords(`
  accept accept-encoding accept-language accept-ranges access-control-allow-credentials
  access-control-allow-headers access-control-allow-methods access-control-max-age age allow cache-control
  connection content-encoding content-language content-length content-range cross-origin-resource-policy
  date dnt expires if-modified-since if-unmodified-since keep-alive last-modified pragma range retry-after
  sec-fetch-dest sec-fetch-mode sec-fetch-site sec-fetch-user te trailer transfer-encoding upgrade vary
  x-content-type-options x-frame-options
`)
/** Such values have words of HTTP, numbers, times and media types, and no text of a library. */
const PLAIN_VALUE = /^[A-Za-z0-9 ,;:=*./+_"-]{1,200}$/
const PLAIN_WORDS: ReadonlySet<string> = toWords(`
  application image text audio video json html plain xml png jpeg webp gif avif svg pdf octet stream
  markdown javascript css mpeg mp bytes none gzip deflate br zstd identity chunked close keep alive timeout
  max age no cache store transform must revalidate proxy public private immutable stale while error sec ch
  ua fetch same origin cross site cors navigate document empty true false get head post put patch delete
  options trailers websocket accept encoding language content type length range authorization cookie user
  agent nosniff deny sameorigin mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep oct nov dec
  gmt utc en us gb zh cn tw hans hant de fr ja q charset utf iso
`)
/** Headers whose names say nothing, whatever their values say. */
const KNOWN_NAMES =
  /^(?:x-request-id|x-requested-with|x-powered-by|user-agent|server|via|host|link|from|forwarded|x-forwarded-\w+|content-type|content-disposition|content-security-policy|strict-transport-security|x-addon|x-plugin|origin|referer|sec-ch-ua[\w-]*)$/
const ADDRESS_HEADERS: ReadonlySet<string> = new Set([
  'location',
  'content-location',
  'referer',
  'origin',
  'access-control-allow-origin',
])
const TAG_HEADERS: ReadonlySet<string> = new Set(['etag', 'if-match', 'if-none-match', 'if-range'])
/** They would have to be computed anew, and say nothing that the new body does not say. */
const DIGEST_HEADERS: ReadonlySet<string> = toWords(
  'content-md5 digest content-digest repr-digest want-digest want-content-digest signature',
)

function toWords(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}

export interface RedactedBodySize {
  readonly isChanged: boolean
  /** Null if there is no body any more. */
  readonly bytes: number | null
  readonly mediaType: string | null
}

/** Redacts headers, so that they are still those of the body that remains. */
export function redactHeaders(strings: StringRedactor, headers: readonly Header[], body: RedactedBodySize): Header[] {
  const isEncoded = headers.some(([name]) => name.toLowerCase() === 'content-encoding')
  return headers.flatMap(([name, value]): Header[] => {
    const plainName = name.toLowerCase()
    if (body.isChanged && DIGEST_HEADERS.has(plainName)) return []
    if (body.isChanged && plainName === 'content-length')
      return body.bytes === null || isEncoded ? [] : [[name, String(body.bytes)]]
    if (body.isChanged && body.mediaType !== null && plainName === 'content-type') return [[name, body.mediaType]]
    return [[redactHeaderName(strings, name), toHeaderText(redactHeader(strings, plainName, value))]]
  })
}

export function redactMediaType(strings: StringRedactor, value: string): string {
  if (strings.keepsAll) return value
  const [type = '', ...parameters] = value.split(';')
  const essence = type.trim().toLowerCase()
  if (essence !== '' && !isMediaType(essence)) return strings.redactText(value, { isRequired: true })
  const redacted = parameters.map((parameter) => {
    const [, charset] = /^\s*charset\s*=\s*"?([\w-]{1,20})"?\s*$/i.exec(parameter) ?? []
    return charset !== undefined && isCharset(charset) ? parameter : redactParameter(strings, parameter)
  })
  return [type, ...redacted].join(';')
}

function isCharset(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== ''
  } catch {
    return false
  }
}

function redactHeaderName(strings: StringRedactor, name: string): string {
  const plainName = name.toLowerCase()
  const lists = [PLAIN_HEADERS, ADDRESS_HEADERS, TAG_HEADERS, DIGEST_HEADERS]
  const isKnown = lists.some((list) => list.has(plainName)) || KNOWN_NAMES.test(plainName) || isSecretHeader(plainName)
  return isKnown || strings.policy.texts === 'keep' ? name : strings.redactName(name).replace(/[^\w-]/g, '-')
}

const isSecretHeader = (name: string): boolean => name === 'www-authenticate' || isCredentialName(name)

function redactHeader(strings: StringRedactor, name: string, value: string): string {
  if (isSecretHeader(name)) return redactSecretHeader(strings, value)
  if (ADDRESS_HEADERS.has(name)) return isPlainValue(value) ? value : redactAddress(strings, value)
  if (strings.keepsAll) return value
  if (name === 'content-type') return redactMediaType(strings, value)
  if (name === 'host') return redactAuthority(strings, value)
  if (TAG_HEADERS.has(name)) return redactTags(strings, value)
  if (name === 'content-disposition') return redactDisposition(strings, value)
  if (PLAIN_HEADERS.has(name) && isPlainValue(value)) return value
  if (isNumberText(value)) return value
  const kind = getKindOfMember(
    name.replace(/^x-/, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    '',
  )
  return strings.redact(value, { kind: kind === 'opaque' ? kind : 'looseId', name, isRequired: true })
}

function redactSecretHeader(strings: StringRedactor, value: string): string {
  const [scheme = ''] = /^(?:Bearer|Basic|Token|Digest) /i.exec(value) ?? []
  return scheme + strings.replaceSecret(value.slice(scheme.length))
}

/** Each tag is replaced by itself, so that a condition still names the same one. */
const redactTags = (strings: StringRedactor, value: string): string =>
  value
    .split(/("[^"]*")/)
    .map((part, index) => {
      if (index % 2 === 1)
        return `"${strings.redact(part.slice(1, -1), { kind: 'looseId', name: 'etag', isRequired: true })}"`
      return /^(?:,?\s*(?:W\/)?|\*)$/.test(part.trimStart()) || isPlainValue(part)
        ? part
        : strings.redactText(part, { isRequired: true })
    })
    .join('')

function redactDisposition(strings: StringRedactor, value: string): string {
  const [type = '', ...parameters] = (value.match(/(?:^|;)(?:[^";]|"[^"]*"?)*/g) ?? []).map((part) =>
    part.replace(/^;/, ''),
  )
  const redactedType = /^\s*(?:attachment|inline|form-data)\s*$/i.test(type) ? type : strings.redactText(type)
  return [redactedType, ...parameters.map((parameter) => redactParameter(strings, parameter))].join(';')
}

/** Redacts `filename="a.pdf"` and `filename*=UTF-8''a.pdf`. */
function redactParameter(strings: StringRedactor, parameter: string): string {
  const [, name = '', encoding = '', quoted = parameter] =
    /^(\s*[A-Za-z-]{1,20}\*?\s*=\s*(?!\s))((?:[\w-]+'[\w-]*')?)(.*)$/s.exec(parameter) ?? []
  if (encoding !== '') return name + encoding + encodeURIComponent(strings.redactFile(decodePercent(quoted)))
  const isQuoted = /^".*"\s*$/s.test(quoted)
  const text = isQuoted ? quoted.trim().slice(1, -1).replace(/\\(.)/g, '$1') : quoted
  const redacted = strings.redactFile(decodePercent(text))
  return name + (isQuoted ? `"${redacted}"` : redacted)
}

const isPlainValue = (value: string): boolean =>
  PLAIN_VALUE.test(value) && (value.match(/[A-Za-z]+/g) ?? []).every((word) => PLAIN_WORDS.has(word.toLowerCase()))

/** Headers hold bytes; other characters could not be sent. */
const toHeaderText = (text: string): string => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, 'x')
