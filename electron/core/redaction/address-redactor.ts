import { classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import type { Endpoint, EndpointParameter } from '../../../shared/bridge/endpoints/endpoint.ts'
import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'
import { contractWords, getKindOfMember, SECRET_NAME } from '../../../shared/recordings/redaction/member-kinds.ts'
import { isInterfaceName } from '../../../shared/recordings/redaction/interface-names.ts'
import { isLooseId, isNumberText } from '../../../shared/recordings/redaction/string-shapes.ts'
import type { StringRedactor } from './string-redactor.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const ABSOLUTE = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)((?:[/?#].*)?)$/is
const BASE_PATH = '/bridge/v1'
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1|0\.0\.0\.0)$/i
const PLACEHOLDER = /^\{([\w-]{0,40})\}\*?$/

type Segment = { readonly kind: 'literal' } | { readonly kind: 'parameter'; readonly name: string } | null

/** Redacts paths, queries, URLs and path templates; what remains can still be requested. */
export class AddressRedactor {
  readonly #strings: StringRedactor

  constructor(strings: StringRedactor) {
    this.#strings = strings
  }

  /**
   * Redacts a path with or without a query, a path template, or a URL.
   * @param method null if it is not known
   * @param served the endpoint that the host serves at a path of its own, whose parameters it takes
   */
  redactAddress(address: string, method: string | null = null, served: Endpoint | null = null): string {
    if (this.#strings.keepsAll) return address
    const [, scheme, authority = '', rest = ''] = ABSOLUTE.exec(address) ?? []
    if (scheme !== undefined)
      return scheme + this.redactAuthority(authority) + this.#redactPathAndQuery(rest, method, served)
    if (!/^[/*?]/.test(address)) return this.#strings.redactText(address, { isRequired: true })
    return this.#redactPathAndQuery(address, method, served)
  }

  /** Redacts the name of a machine, except this one's own, with or without a port. */
  redactAuthority(authority: string): string {
    const [, name = authority, port = ''] =
      /^(.*?)(:\d{1,5})?$/s.exec(authority.slice(authority.lastIndexOf('@') + 1)) ?? []
    if (name === '' || LOOPBACK.test(name)) return name + port
    const standIn = this.#strings.redactText(name, { isRequired: true })
    if (standIn === name) return name + port
    // A name that consists of digits would be an address.
    return `h${standIn
      .toLowerCase()
      .replace(/[^a-z0-9]/g, 'x')
      .slice(1)}${port}`
  }

  /** Ids of a request that stand where the contract has an id. */
  listIds(method: string, path: string): string[] {
    const { bare, query } = splitAddress(path.replace(ABSOLUTE, '$3'))
    const { endpoint, params } = classifyRequest(method, withoutBasePath(bare).path)
    const values = [
      ...Object.entries(params),
      ...(query === null ? [] : parseQuery(query).map(({ name, value }) => [name, value ?? ''] as const)),
    ]
    return endpoint === null
      ? []
      : values.filter(([name]) => getKindOfMember(name, '') === 'id').map(([, value]) => value)
  }

  /** Redacts parameters as in a query or a form. */
  redactQuery(query: string, row: Endpoint | null = null): string {
    return this.#redactQuery(query, row)
  }

  #redactPathAndQuery(text: string, method: string | null, served: Endpoint | null): string {
    const { bare, query, fragment } = splitAddress(text)
    const { base, path } = withoutBasePath(bare)
    const row = findRow(path, method)
    const redactedPath = base + this.#redactPath(path, row)
    const redactedQuery = query === null ? '' : `?${this.#redactQuery(query, row ?? served)}`
    return redactedPath + redactedQuery + (fragment === null ? '' : `#${this.#redactPart(fragment, 'text', '')}`)
  }

  #redactPath(path: string, row: Endpoint | null): string {
    const template = row?.path.split('/')
    return path
      .split('/')
      .map((raw, index) => this.#redactSegment(raw, toSegment(template?.[index])))
      .join('/')
  }

  #redactSegment(raw: string, segment: Segment): string {
    if (raw === '' || raw === '*' || segment?.kind === 'literal' || contractWords.has(raw)) return raw
    const [, placeholder] = PLACEHOLDER.exec(raw) ?? []
    if (placeholder !== undefined)
      return placeholder === '' || isInterfaceName(placeholder, '') ? raw : raw.replace(placeholder, 'value')
    const star = raw.endsWith('*') ? '*' : ''
    const text = raw.slice(0, raw.length - star.length)
    const name = segment?.name ?? ''
    return this.#redactPart(text, segment === null ? 'looseId' : getKindOfMember(name, ''), name) + star
  }

  #redactQuery(query: string, row: Endpoint | null): string {
    return parseQuery(query)
      .map(({ raw, rawName, name, rawValue, value }) => {
        if (raw === '') return raw
        const parameter = row?.parameters.find((candidate) => candidate.in === 'query' && candidate.name === name)
        const isName = parameter !== undefined || isInterfaceName(name, '')
        const redactedName = isName ? rawName : encodePart(this.#strings.redactName(name))
        if (rawValue === null || value === null) return redactedName
        return `${redactedName}=${this.#redactValue(rawValue, value, name, parameter)}`
      })
      .join('&')
  }

  #redactValue(raw: string, value: string, name: string, parameter: EndpointParameter | undefined): string {
    if (SECRET_NAME.test(name)) return '*'.repeat(raw.length)
    if (parameter?.type === 'enum' && parameter.values?.includes(value)) return raw
    if (parameter?.type === 'integer' && isNumberText(value)) return raw
    const kind = parameter?.relativePath || /^(?:path|folder|filename)$/.test(name) ? 'file' : getKindOfMember(name, '')
    return this.#redactPart(raw, kind, name)
  }

  /** Redacts an encoded part of an address; what stays keeps its encoding. */
  #redactPart(raw: string, kind: ReturnType<typeof getKindOfMember>, name: string): string {
    const text = decodePercent(raw.replace(/\+/g, ' '))
    const isId = kind === 'looseId' && (isLooseId(text) || this.#strings.isKnownId(text))
    const redacted = isId ? this.#strings.redactId(text) : this.#strings.redact(text, { kind, name, isRequired: true })
    return redacted === text ? raw : encodePart(redacted)
  }
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
