import { splitPath } from '../../../../shared/bridge/call-target.ts'
import type { Endpoint, EndpointAccess } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { classifyRequest, findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import {
  decodePercent,
  listPlaceholders,
  matchPathTemplate,
} from '../../../../shared/bridge/endpoints/path-template.ts'
import { getRowAccess, parseBodyValue } from '../../../../shared/bridge/row-access.ts'
import { getMember, isObject, toNonEmptyText } from '../../../../shared/json/object.ts'
import { toCanonicalJson } from '../../protocol/observed-exchange.ts'

/** A request as it is compared with recorded ones: what it asks for, not how it is spelled. */
export interface RequestMeaning {
  /** Null if the contract does not know the request. */
  readonly endpoint: Endpoint | null
  /** A HEAD has the meaning of its GET. */
  readonly method: string
  readonly access: EndpointAccess
  /** Decoded and encoded again, without the query. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  /** Decoded; without values that equal the documented default. */
  readonly query: Readonly<Record<string, string>>
  /** The parsed body; undefined without one, a text if it is not JSON. */
  readonly body: unknown
  /** The id that the client chose for a write, or by which it asks for the outcome of one. */
  readonly requestId: string | null
  /** The host does not execute the request, because it lacks `confirm`. */
  readonly isDryRun: boolean
  /** Requests with equal keys mean the same. The cursor of a listing is part of it. */
  readonly key: string
  /** The key without the cursor; null unless there is a cursor. */
  readonly listingKey: string | null
}

interface RequestTexts {
  readonly method: string
  /** Below the base URL, with the query. */
  readonly path: string
  readonly bodyText: string | null
  /** The endpoint that was recorded for a path that the contract does not have. */
  readonly endpointId?: string | null
}

/** Differ from run to run: the host fills in `addon`, a client chooses `requestId` (spec §4). */
export const volatileMembers: ReadonlySet<string> = new Set(['requestId', 'addon'])

/** Deeper bodies are compared as they are spelled. */
const MAX_DEPTH = 200
/** Longer bodies are compared as they are spelled. */
const MAX_COMPARED_CHARS = 20_000

/** Finds what a request asks for; `requestIds` maps ids that a client chose to recorded ones. */
export function parseRequestMeaning(
  { method, path: fullPath, bodyText, endpointId = null }: RequestTexts,
  requestIds: ReadonlyMap<string, string> = new Map(),
): RequestMeaning {
  const verb = method.toUpperCase() === 'HEAD' ? 'GET' : method.toUpperCase()
  const { path: rawPath, pairs } = splitPath(fullPath)
  const path = normalizePath(rawPath)
  const classified = classifyRequest(verb, path)
  const endpoint = classified.endpoint ?? (endpointId === null ? null : (findEndpointById(endpointId) ?? null))
  const body = parseBody(bodyText)
  const access = endpoint ? getRowAccess(endpoint, body) : classified.access
  const query = parseQuery(pairs, endpoint)
  const requestId = toNonEmptyText(getMember(body, 'requestId'))
  const comparedBody = toComparedBody(body, access === 'read', requestIds)
  const createKey = (parameters: Readonly<Record<string, string>>): string =>
    `${verb} ${path}?${toCanonicalJson(parameters)} ${comparedBody}`
  const { cursor, ...listing } = query
  return {
    endpoint,
    method: verb,
    access,
    path,
    query,
    body,
    requestId,
    params: classified.endpoint || !endpoint ? classified.params : readParams(endpoint, path),
    isDryRun: isDryRun(endpoint, access, query, body),
    key: createKey(query),
    listingKey: cursor === undefined ? null : createKey(listing),
  }
}

const normalizePath = (path: string): string =>
  path
    .split('/')
    .map((segment) => encodeURIComponent(decodePercent(segment)))
    .join('/')

/** A host may have another path than the contract, but names the same things in the same order. */
function readParams(endpoint: Endpoint, path: string): Record<string, string> {
  const names = listPlaceholders(endpoint.path)
  const values = matchPathTemplate(endpoint.path.replace(/\/[^/{}]+$/, '/{last}'), path)
  return Object.fromEntries(names.map((name, index) => [name, decodePercent(values?.[index] ?? '')]))
}

function parseQuery(
  pairs: readonly (readonly [name: string, value: string | null])[],
  endpoint: Endpoint | null,
): Record<string, string> {
  const decode = (text: string): string => decodePercent(text.replaceAll('+', ' '))
  const query: [string, string][] = []
  for (const [rawName, rawValue] of pairs) {
    const [name, value] = [decode(rawName), decode(rawValue ?? '')]
    const rule = endpoint?.parameters.find((parameter) => parameter.in === 'query' && parameter.name === name)
    if (rule?.default === undefined || String(rule.default) !== value) query.push([name, value])
  }
  return Object.fromEntries(query)
}

function parseBody(text: string | null): unknown {
  const value = parseBodyValue(text)
  if (isDeeperThan(MAX_DEPTH, value)) return text
  // Hosts read an empty object from a body without bytes.
  if (isObject(value) && Object.keys(value).length === 0) return undefined
  return value === null && text !== null && text.trim() !== 'null' ? text : value
}

const isDeeperThan = (depth: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner)))

function toComparedBody(body: unknown, isRead: boolean, requestIds: ReadonlyMap<string, string>): string {
  if (body === undefined) return ''
  if (!isObject(body)) return typeof body === 'string' ? body : JSON.stringify(body)
  const { requestId } = body
  const recordedId = typeof requestId === 'string' ? requestIds.get(requestId) : undefined
  const members = isRead
    ? { ...body, ...(recordedId === undefined ? {} : { requestId: recordedId }) }
    : omitVolatileMembers(body)
  const text = JSON.stringify(members)
  return text.length > MAX_COMPARED_CHARS ? text : toCanonicalJson(members)
}

export function omitVolatileMembers(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !volatileMembers.has(name)))
}

function isDryRun(
  endpoint: Endpoint | null,
  access: EndpointAccess,
  query: Readonly<Record<string, string>>,
  body: unknown,
): boolean {
  if (access === 'read') return false
  return (
    (endpoint?.confirm === 'body' && getMember(body, 'confirm') !== true) ||
    (endpoint?.confirm === 'query' && query['confirm'] !== '1')
  )
}
