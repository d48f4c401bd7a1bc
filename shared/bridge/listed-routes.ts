import { isObject } from '../json/object.ts'

/** A route as a host lists it, with everything else that stands beside it. */
interface ListedRoute extends Readonly<Record<string, unknown>> {
  readonly method: string
  readonly path: string
}

const MAX_ROUTES = 5_000
const MAX_VISITED_VALUES = 50_000
const MAX_DEPTH = 8
const MAX_PATH_CHARS = 500

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const PATH_MEMBERS = ['path', 'route', 'url', 'uri', 'endpoint', 'template', 'pattern', 'href']
const METHOD_MEMBERS = ['method', 'verb', 'httpMethod', 'methods', 'verbs']

const toMethods = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as unknown[]) : typeof value === 'string' ? value.slice(0, 100).split(/[\s,|]+/) : [])
    .slice(0, 10)
    .flatMap((word) => (typeof word === 'string' && METHODS.includes(word.toUpperCase()) ? [word.toUpperCase()] : []))

/** Reads `GET /a/{b}`, `/a/{b}` or an address that contains the path of the bridge. */
function parseRouteText(text: unknown): { readonly method: string | null; readonly path: string } | null {
  if (typeof text !== 'string' || text.length > MAX_PATH_CHARS) return null
  const [first = '', second, ...more] = text.trim().split(/\s+/)
  const [method = null] = second === undefined ? [] : toMethods(first)
  const address = second === undefined ? first : second
  if (more.length > 0 || (second !== undefined && method === null)) return null
  const path = /^https?:\/\//i.test(address) ? address.slice(Math.max(0, address.indexOf('/bridge/v1/'))) : address
  return /^\/[^/]/.test(path) ? { method, path } : null
}

/**
 * Finds the routes in capabilities whose shape the spec does not show: in any member or group, as
 * objects, as texts, by path or by method. Empty if none is found.
 * @param defaultMethods the methods of a path without any
 */
export function findListedRoutes(body: unknown, defaultMethods: readonly string[] = ['GET']): readonly ListedRoute[] {
  const routes: ListedRoute[] = []
  let visitedCount = 0

  function add(methods: readonly string[], path: string, details: unknown): void {
    for (const method of methods)
      if (routes.length < MAX_ROUTES) routes.push({ ...(isObject(details) ? details : {}), method, path })
  }

  function canVisitMore(): boolean {
    visitedCount += 1
    return visitedCount <= MAX_VISITED_VALUES && routes.length < MAX_ROUTES
  }

  function visit(value: unknown, depth: number): void {
    if (depth > MAX_DEPTH) return
    if (Array.isArray(value)) return visitList(value as unknown[], defaultMethods, depth)
    if (!isObject(value) || addObject(value)) return
    for (const [name, inner] of Object.entries(value)) {
      if (!canVisitMore()) return
      visitMember(name, inner, depth)
    }
  }

  function visitList(list: readonly unknown[], methods: readonly string[], depth: number): void {
    for (const entry of list) {
      if (!canVisitMore()) return
      const route = parseRouteText(entry)
      if (route) add(route.method === null ? methods : [route.method], route.path, null)
      else visit(entry, depth + 1)
    }
  }

  function addObject(value: Record<string, unknown>): boolean {
    const route = PATH_MEMBERS.map((name) => parseRouteText(value[name])).find((parsed) => parsed !== null)
    const methods = METHOD_MEMBERS.flatMap((name) => toMethods(value[name]))
    const hasMethod = methods.length > 0 || (route?.method ?? null) !== null
    if (!route || !hasMethod) return false
    add(methods.length > 0 ? methods : [route.method ?? 'GET'], route.path, value)
    return true
  }

  function visitMember(name: string, inner: unknown, depth: number): void {
    const route = parseRouteText(name)
    const [method] = toMethods(name)
    if (method !== undefined && Array.isArray(inner)) return visitList(inner as unknown[], [method], depth + 1)
    if (!route) return visit(inner, depth + 1)
    if (route.method !== null) return add([route.method], route.path, inner)
    // As in OpenAPI: a path has an operation for each method.
    const operations = isObject(inner) ? Object.entries(inner).filter(([verb]) => toMethods(verb).length > 0) : []
    for (const [verb, operation] of operations) add(toMethods(verb), route.path, operation)
    if (operations.length > 0) return
    const methods = METHOD_MEMBERS.flatMap((member) => (isObject(inner) ? toMethods(inner[member]) : []))
    const statedMethods = methods.length > 0 ? methods : toMethods(inner)
    add(statedMethods.length > 0 ? statedMethods : defaultMethods, route.path, inner)
  }

  visit(body, 0)
  return routes
}

/** Puts the routes of capabilities under `routes`, where the schema has them. */
export function normalizeCapabilities(body: unknown): unknown {
  if (isObject(body) && Array.isArray(body['routes']) && body['routes'].some(isPlainRoute)) return body
  if (typeof body !== 'object' || body === null) return body
  return { ...(Array.isArray(body) ? {} : body), routes: findListedRoutes(body) }
}

const isPlainRoute = (entry: unknown): boolean =>
  isObject(entry) && typeof entry['method'] === 'string' && typeof entry['path'] === 'string'
