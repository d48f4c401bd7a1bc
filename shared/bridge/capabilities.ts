import type { Capabilities, CapabilityRoute } from './resources/state.ts'
import type { Endpoint, FoundBy } from './endpoints/endpoint.ts'
import { endpoint, endpoints, type EndpointId } from './endpoints/index.ts'
import { fitsRow, queryNames, routeShape, templateOf } from './listed-route.ts'

/** What a host's capabilities say about our table (spec §9: they are authoritative). */
export interface CapabilityReport {
  /** Path templates to use in place of the table's, by endpoint id. */
  readonly pathOverrides: Readonly<Record<string, string>>
  /** Templates of listed routes that may be a row whose own path is not listed, or not shown in the documents; the likeliest first. */
  readonly choices: Readonly<Record<string, readonly string[]>>
  /** Routes that the table does not know. */
  readonly unknown: readonly CapabilityRoute[]
  /** Ids of rows that the host does not list. */
  readonly missing: readonly string[]
}

/** Routes that are looked at for a row under another path: a host has some hundred. */
const MOST = 2_000

interface Seen {
  readonly route: CapabilityRoute
  readonly names: ReadonlySet<string>
}
const seen = (route: CapabilityRoute): Seen => ({ route, names: queryNames(route) })

/** How sure it is that a route is a row whose path the documents do not show; 0 = it is not. */
function isFound(row: Endpoint, { query, names: ends }: FoundBy, { route, names }: Seen): number {
  const named = query.filter((name) => names.has(name)).length
  const sibling = (name: string): string => routeShape('', row.path.replace(/[^/]+$/, name))
  const last = ends.findIndex((name) => routeShape('', route.path) === sibling(name))
  if (named >= 3) return 100 * named + (last < 0 ? 0 : 10 - last)
  return names.size === 0 && last >= 0 ? 10 - last : 0
}

/** A row with a query of its own is likely to be a route that takes two of its parameters or more. */
function isLike(row: Endpoint, { names }: Seen): number {
  const shared = row.parameters.filter((parameter) => parameter.in === 'query' && names.has(parameter.name)).length
  return shared >= 2 ? shared : 0
}

/** Rows that only read may be looked for under another path, and set to one: whatever is there, a GET of it changes nothing. */
export const isMovable = (row: Endpoint): boolean =>
  row.method === 'GET' && row.access === 'read' && row.auth === 'token' && !row.secret

/** Compares the capabilities with the table (spec §9, observed-0.49: templates use `{id}` and `{index}`). */
export function compareCapabilities(capabilities: Pick<Capabilities, 'routes'>): CapabilityReport {
  const { routes } = capabilities
  const listed = new Map(routes.map((route) => [routeShape(route.method, route.path), route]))
  const known = new Set(endpoints.map((row) => routeShape(row.method, row.path)))
  const missing = endpoints.filter((row) => !listed.has(routeShape(row.method, row.path))).map((row) => row.id)
  const unknown = routes.filter((route) => !known.has(routeShape(route.method, route.path)))
  const readable = unknown.filter(({ method }) => method.toUpperCase() === 'GET').slice(0, MOST)
  const others = readable.map(seen)
  const choices: Record<string, readonly string[]> = {}
  const pathOverrides: Record<string, string> = {}
  for (const row of endpoints.filter((one) => isMovable(one) && (one.foundBy || missing.includes(one.id)))) {
    const sure = (one: Seen): number => (row.foundBy ? isFound(row, row.foundBy, one) : isLike(row, one))
    const listedOwn = listed.get(routeShape(row.method, row.path))
    const own = listedOwn ? seen(listedOwn) : null
    const found = [...others, ...(own ? [own] : [])]
      .map((one) => ({ path: templateOf(one.route.path), sure: sure(one) }))
      .filter((one) => one.sure > 0 && fitsRow(row, one.path))
      .sort((one, other) => other.sure - one.sure)
    if (!found.some(({ path }) => routeShape('GET', path) !== routeShape('GET', row.path))) continue
    choices[row.id] = [...new Set(found.map(({ path }) => path))]
    const [best] = found
    const keepsOwn = own !== null && (own.names.size === 0 || sure(own) > 0)
    // The table's own path stays where the host lists it, unless the host says that it takes other parameters than those of the row.
    if (row.foundBy && best && !keepsOwn) pathOverrides[row.id] = best.path
  }
  const overridden = new Set(Object.values(pathOverrides).map((path) => routeShape('GET', path)))
  return {
    pathOverrides,
    choices,
    unknown: unknown.filter((route) => !overridden.has(routeShape(route.method, route.path))),
    missing: missing.filter((id) => !Object.hasOwn(pathOverrides, id)),
  }
}

/** A row of the table under the path by which the host serves it. */
export function movedRow(id: EndpointId, report: CapabilityReport | null): Pick<Endpoint, 'method' | 'path'> {
  const { method, path } = endpoint(id)
  return { method, path: report?.pathOverrides[id] ?? path }
}

/** What the capabilities list for a row; null if they do not list it. */
export function routeOf(
  row: Pick<Endpoint, 'method' | 'path'>,
  { routes }: Pick<Capabilities, 'routes'>,
): CapabilityRoute | null {
  return routes.find((route) => routeShape(route.method, route.path) === routeShape(row.method, row.path)) ?? null
}
