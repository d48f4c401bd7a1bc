import { classifyRequest, endpoints } from '../../../shared/bridge/endpoints/index.ts'
import type { Endpoint, EndpointParameter } from '../../../shared/bridge/endpoints/endpoint.ts'
import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'
import { getKindOfMember, isCredentialName, type StringKind } from './member-kinds.ts'
import { isInterfaceName } from './interface-names.ts'
import { isLooseId, isNearContractName, isNumberText } from './string-shapes.ts'
import { isSecretParameter } from './credentials.ts'
import type { StringRedactor } from './string-redactor.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const ABSOLUTE = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)((?:[/?#].*)?)$/is
const BASE_PATH = '/bridge/v1'
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1|0\.0\.0\.0)$/i
const PLACEHOLDER = /^\{([\w-]{0,40})\}\*?$/

/** Segments before a number in the paths of the contract: `pages`. */
const numberedSegments: ReadonlySet<string> = new Set(
  endpoints.flatMap(({ path, parameters }) => {
    const segments = path.split('/')
    const isNumber = (segment: string): boolean =>
      parameters.some(({ name, type }) => type === 'integer' && segment === `{${name}}`)
    return segments.filter((_, index) => isNumber(segments[index + 1] ?? ''))
  }),
)

type Segment = { readonly kind: 'literal' } | { readonly kind: 'parameter'; readonly name: string } | null

/**
 * Redacts a path with or without a query, a path template, or a URL; what remains can still be
 * requested.
 * @param method null if it is not known
 * @param served the endpoint that the host serves at a path of its own, whose parameters it takes
 */
export function redactAddress(
  strings: StringRedactor,
  address: string,
  method: string | null = null,
  served: Endpoint | null = null,
): string {
  const [, scheme, authority = '', rest = ''] = ABSOLUTE.exec(address) ?? []
  if (scheme === undefined && !/^[/*?#]/.test(address))
    return strings.keepsAll ? address : strings.redactText(address, { isRequired: true })
  const host = scheme === undefined ? '' : scheme + redactAuthority(strings, authority)
  const { bare, query, fragment } = splitAddress(scheme === undefined ? address : rest)
  const { base, path } = withoutBasePath(bare)
  const row = strings.keepsAll ? null : findRow(path, method)
  const redactedPath = strings.keepsAll ? path : redactPath(strings, path, row)
  const redactedQuery = query === null ? '' : `?${redactQuery(strings, query, row ?? served)}`
  return host + base + redactedPath + redactedQuery + (fragment === null ? '' : `#${redactFragment(strings, fragment)}`)
}

/** Redacts the name of a machine, except this one's own, with or without a port. */
export function redactAuthority(strings: StringRedactor, authority: string): string {
  const user = authority.slice(0, authority.lastIndexOf('@') + 1)
  if (user !== '') strings.tally.countToken()
  const [, name = authority, port = ''] = /^(.*?)(:\d{1,5})?$/s.exec(authority.slice(user.length)) ?? []
  if (name === '' || LOOPBACK.test(name) || strings.keepsAll) return name + port
  const standIn = strings.redactText(name, { isRequired: true })
  if (standIn === name) return name + port
  // A name that consists of digits would be an address.
  return `h${standIn
    .toLowerCase()
    .replace(/[^a-z0-9]/g, 'x')
    .slice(1)}${port}`
}

/** Ids of a request that stand where the contract has an id. */
export function listRequestIds(method: string, path: string): string[] {
  const { bare, query } = splitAddress(path.replace(ABSOLUTE, '$3'))
  const { endpoint, params } = classifyRequest(method, withoutBasePath(bare).path)
  const values = [...Object.entries(params), ...listQueryValues(query ?? '')]
  return endpoint === null
    ? []
    : values.filter(([name]) => getKindOfMember(name, '') === 'id').map(([, value]) => value)
}

/** The values in the query and the fragment of an address, or in a form, with their names. */
export function listParameters(address: string): (readonly [name: string, value: string])[] {
  const { query, fragment } = splitAddress(address)
  return [...listQueryValues(query ?? ''), ...listQueryValues(fragment ?? '')]
}

export function listQueryValues(query: string): (readonly [name: string, value: string])[] {
  return parseQuery(query).map(({ name, value }) => [name, value ?? ''] as const)
}

export function redactQuery(strings: StringRedactor, query: string, row: Endpoint | null = null): string {
  return parseQuery(query)
    .map(({ raw, rawName, name, rawValue, value }) => {
      if (raw === '') return raw
      const parameter = row?.parameters.find((candidate) => candidate.in === 'query' && candidate.name === name)
      const isName = strings.keepsAll || parameter !== undefined || isInterfaceName(name, '') || isCredentialName(name)
      const redactedName = isName ? rawName : encodePart(strings.redactName(name))
      if (rawValue === null || value === null) return redactedName
      return `${redactedName}=${redactValue(strings, rawValue, value, name, parameter)}`
    })
    .join('&')
}

/** Grants may send tokens in a fragment (RFC 6749, section 4.2.2). */
const redactFragment = (strings: StringRedactor, fragment: string): string =>
  fragment.includes('=') ? redactQuery(strings, fragment) : redactPart(strings, fragment, 'text', '')

function redactPath(strings: StringRedactor, path: string, row: Endpoint | null): string {
  const template = row?.path.split('/')
  const segments = path.split('/')
  return segments
    .map((raw, index) => {
      const segment = toSegment(template?.[index])
      const isNumber = segment === null && numberedSegments.has(segments[index - 1] ?? '') && isNumberText(raw)
      return isNumber ? raw : redactSegment(strings, raw, segment)
    })
    .join('/')
}

function redactSegment(strings: StringRedactor, raw: string, segment: Segment): string {
  if (raw === '' || raw === '*' || segment?.kind === 'literal') return raw
  // A misspelled segment is what a finding is about.
  if (segment === null && isNearContractName(raw)) return raw
  const [, placeholder] = PLACEHOLDER.exec(raw) ?? []
  if (placeholder !== undefined)
    return placeholder === '' || isInterfaceName(placeholder, '') ? raw : raw.replace(placeholder, 'value')
  const star = raw.endsWith('*') ? '*' : ''
  const text = raw.slice(0, raw.length - star.length)
  const name = segment?.name ?? ''
  return redactPart(strings, text, segment === null ? 'looseId' : getKindOfMember(name, ''), name) + star
}

function redactValue(
  strings: StringRedactor,
  raw: string,
  value: string,
  name: string,
  parameter: EndpointParameter | undefined,
): string {
  if (isSecretParameter(name)) return strings.replaceSecret(raw)
  if (strings.keepsAll || (parameter?.type === 'enum' && parameter.values?.includes(value))) return raw
  const isTyped = parameter === undefined || parameter.type === 'integer'
  // A number without a name that the contract knows is a page or an index rather than a text.
  if (isTyped && isNumberText(value)) return raw
  const isFile = parameter?.relativePath || /^(?:path|folder|filename)$/.test(name)
  return redactPart(strings, raw, isFile ? 'file' : getKindOfMember(name, ''), name)
}

/** Redacts an encoded part of an address; what stays keeps its encoding. */
function redactPart(strings: StringRedactor, raw: string, kind: StringKind, name: string): string {
  if (strings.keepsAll) return raw
  const text = decodePercent(raw.replace(/\+/g, ' '))
  const isId = kind === 'looseId' && (isLooseId(text) || strings.isKnownId(text))
  const redacted = isId ? strings.redactId(text) : strings.redact(text, { kind, name, isRequired: true })
  return redacted === text ? raw : encodePart(redacted)
}

function splitAddress(address: string): { bare: string; query: string | null; fragment: string | null } {
  const fragmentStart = address.indexOf('#')
  const beforeFragment = fragmentStart < 0 ? address : address.slice(0, fragmentStart)
  const queryStart = beforeFragment.indexOf('?')
  return {
    bare: queryStart < 0 ? beforeFragment : beforeFragment.slice(0, queryStart),
    query: queryStart < 0 ? null : beforeFragment.slice(queryStart + 1),
    fragment: fragmentStart < 0 ? null : address.slice(fragmentStart + 1),
  }
}

function withoutBasePath(path: string): { base: string; path: string } {
  return path.startsWith(`${BASE_PATH}/`) ? { base: BASE_PATH, path: path.slice(BASE_PATH.length) } : { base: '', path }
}

function findRow(path: string, method: string | null): Endpoint | null {
  if (method !== null) {
    const { endpoint } = classifyRequest(method === 'HEAD' ? 'GET' : method, path)
    if (endpoint !== null) return endpoint
  }
  for (const candidate of METHODS) {
    const { endpoint } = classifyRequest(candidate, path)
    if (endpoint !== null) return endpoint
  }
  return null
}

function toSegment(template: string | undefined): Segment {
  if (template === undefined) return null
  const [, name] = PLACEHOLDER.exec(template) ?? []
  return name === undefined ? { kind: 'literal' } : { kind: 'parameter', name }
}

interface QueryPair {
  readonly raw: string
  readonly rawName: string
  readonly name: string
  readonly rawValue: string | null
  readonly value: string | null
}

const parseQuery = (query: string): QueryPair[] =>
  query.split('&').map((raw) => {
    const equalsIndex = raw.indexOf('=')
    const rawName = equalsIndex < 0 ? raw : raw.slice(0, equalsIndex)
    const rawValue = equalsIndex < 0 ? null : raw.slice(equalsIndex + 1)
    const decode = (part: string): string => decodePercent(part.replace(/\+/g, ' '))
    return { raw, rawName, name: decode(rawName), rawValue, value: rawValue === null ? null : decode(rawValue) }
  })

const encodePart = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'))
