import type { Capabilities, CapabilityRoute } from './resources/state.ts'
import type { Endpoint, RouteRecognition } from './endpoints/endpoint.ts'
import { getEndpoint, endpoints, type EndpointId } from './endpoints/index.ts'
import { findLayersParameter, layersParameterSchema } from './resources/notes.ts'
import { getMember } from '../json/object.ts'

/** Returns a path as in the endpoint table: relative, placeholders in braces, no query. */
export function toPathTemplate(path: string): string {
  return `/${path.replace(/\{\?[^{}]*\}/g, '').split('?', 1)[0] ?? ''}`
    .replace(/^\/+/, '/')
    .replace(/^\/bridge\/v1(?=\/)/, '')
    .replace(/(?<=\/):([A-Za-z_]+)/g, '{$1}')
    .replace(/(?<=.)\/$/, '')
}

/** Leaves out the names of placeholders, because hosts choose them freely. */
export function toRouteShape(method: string, path: string): string {
  return `${method.toUpperCase()} ${toPathTemplate(path).replace(/\{[^{}]*\}/g, '{}')}`
}

const segmentPattern = /^(?:\{[^{}]{1,60}\}|[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,100})$/

/** True for a path of plain segments with as many placeholders as the endpoint. */
export function canServeRow(row: Pick<Endpoint, 'parameters'>, path: string): boolean {
  const template = toPathTemplate(path)
  const segments = template.slice(1).split('/')
  const placeholderCount = segments.filter((part) => part.startsWith('{')).length
  const requiredCount = row.parameters.filter((parameter) => parameter.in === 'path').length
  return (
    template.length <= 300 && placeholderCount === requiredCount && segments.every((part) => segmentPattern.test(part))
  )
}

/**
 * Returns the query parameter names that a host lists for a route; empty if it lists none. The
 * contract does not show where hosts list them, so the names are read from a query or a form
 * `{?a,b}` in the path, and from `query`, `params` or `parameters`: a list of names, a list of
 * objects with a `name`, or an object by name.
 */
export function getQueryNames(route: CapabilityRoute): ReadonlySet<string> {
  const names = new Set<string>()
  const queryForm = /\{\?([^{}]*)\}/.exec(route.path)?.[1]
  for (const name of queryForm?.split(',') ?? []) names.add(name.trim())
  for (const [name] of queryOf(route)) names.add(name)
  for (const [member, parameterList] of Object.entries(route)) {
    if (parameterLists.test(member)) collectNames(parameterList, names, 0)
  }
  return names
}

function queryOf({ path }: Pick<CapabilityRoute, 'path'>): readonly (readonly [name: string, value: string])[] {
  const query = /^[^?]*\?(.*)$/.exec(path.replace(/\{\?[^{}]*\}/g, ''))?.[1]
  return (query?.split('&') ?? []).map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return [name, value.join('=')]
  })
}

/** Names and values in the query of a route's path, without placeholders. */
export function getRouteQueryValues(route: Pick<CapabilityRoute, 'path'>): ReadonlyMap<string, string> {
  return new Map(queryOf(route).filter(([, value]) => value !== '' && !/[{}<>]/.test(value)))
}

function collectNames(parameterList: unknown, names: Set<string>, depth: number): void {
  if (depth > 2 || typeof parameterList !== 'object' || parameterList === null) return
  if (Array.isArray(parameterList)) {
    for (const entry of (parameterList as unknown[]).slice(0, 100)) {
      if (typeof entry === 'string') names.add(entry)
      else if (typeof entry === 'object' && entry !== null) {
        const name: unknown = Reflect.get(entry, 'name')
        if (typeof name === 'string' && Reflect.get(entry, 'in') !== 'path') names.add(name)
      }
    }
    return
  }
  // An object by name, or one that separates query parameters from path parameters.
  const inner: unknown = Reflect.get(parameterList, 'query')
  if (typeof inner === 'object' && inner !== null) collectNames(inner, names, depth + 1)
  else for (const name of Object.keys(parameterList).slice(0, 100)) names.add(name)
}

/**
 * Returns the name of the query parameter that takes all of these values; null if the host lists
 * none. The values stand in the query of the path, or anywhere below `query`, `params` or
 * `parameters` in a list or a text: beside a `name`, or under the name itself.
 */
function findParameterWithValues(route: CapabilityRoute, values: readonly string[]): string | null {
  let visitedCount = 0
  const hasAll = (words: readonly unknown[]): boolean => values.every((value) => words.includes(value))
  const inText = (text: string): boolean => hasAll(text.slice(0, MAX_PARAMETER_CHARS).split(/\W+/))

  function find(value: unknown, name: string | null, depth: number): string | null {
    visitedCount += 1
    if (depth > MAX_PARAMETER_DEPTH || visitedCount > MAX_PARAMETER_VALUES) return null
    if (typeof value === 'string') return inText(value) ? name : null
    if (typeof value !== 'object' || value === null) return null
    if (Array.isArray(value) && hasAll(value)) return name
    const place = getMember(value, 'in')
    if (place !== undefined && place !== 'query') return null
    const sentName = getMember(value, 'name')
    const ownName = typeof sentName === 'string' ? sentName : null
    for (const [member, inner] of Object.entries(value)) {
      const innerName = ownName ?? (Array.isArray(value) || parameterWords.test(member) ? name : member)
      const listedName = find(inner, innerName, depth + 1)
      if (listedName !== null) return listedName
    }
    return null
  }

  const inPath = queryOf(route).find(([, value]) => inText(value))
  if (inPath) return inPath[0]
  const lists = Object.entries(route).filter(([member]) => parameterLists.test(member))
  return find(Object.fromEntries(lists), null, 0)
}

const MAX_PARAMETER_CHARS = 500
const MAX_PARAMETER_DEPTH = 8
const MAX_PARAMETER_VALUES = 1_000
const parameterLists = /^(?:query|params|parameters)|query_?param/i
/** Members that describe the parameter around them, and so name no other. */
const parameterWords = /^(?:query|param|schema|enum|type|items|values?$|allowed|options|choices|description|summary)/i

/**
 * Returns the host's name for the parameter that selects a layer of a picture, which spec §4 note
 * content does not show: from the parameters that its capabilities list, else from the paths of the
 * card. Null if neither has it.
 */
export function findLayersName(item: unknown, capabilities: Pick<Capabilities, 'routes'> | null): string | null {
  const route = capabilities && findRowRoute(getEndpoint('notes.content'), capabilities)
  const listedName = route && findParameterWithValues(route, ['composite', 'base'])
  return layersParameterSchema.safeParse(listedName).data ?? findLayersParameter(item)
}

/** The capabilities are authoritative over the endpoint table (spec §9). */
export interface CapabilityComparison {
  /** Path templates that replace those of the endpoint table, by endpoint id. */
  readonly pathOverrides: Readonly<Record<string, string>>
  /** Listed routes that may serve an endpoint whose own path is not listed, the likeliest first. */
  readonly candidatePaths: Readonly<Record<string, readonly string[]>>
  readonly unknownRoutes: readonly CapabilityRoute[]
  readonly missingRowIds: readonly EndpointId[]
}

/** Real hosts list some hundred routes. */
const MAX_COMPARED_ROUTES = 2_000

interface NamedRoute {
  readonly route: CapabilityRoute
  readonly names: ReadonlySet<string>
}
const toNamedRoute = (route: CapabilityRoute): NamedRoute => ({ route, names: getQueryNames(route) })

/** Returns a score, which is higher the more surely the route is the endpoint; 0 if it is not. */
function rateRecognition(
  row: Endpoint,
  { queryNames, lastSegments }: RouteRecognition,
  { route, names }: NamedRoute,
): number {
  const namedCount = queryNames.filter((name) => names.has(name)).length
  const toSiblingShape = (name: string): string =>
    toRouteShape('', row.path.slice(0, row.path.lastIndexOf('/') + 1) + name)
  const segmentIndex = lastSegments.findIndex((name) => toRouteShape('', route.path) === toSiblingShape(name))
  if (namedCount >= 3) return 100 * namedCount + (segmentIndex < 0 ? 0 : 10 - segmentIndex)
  return names.size === 0 && segmentIndex >= 0 ? 10 - segmentIndex : 0
}

/** Returns how many of the endpoint's query parameters a route takes; 0 if fewer than two. */
function rateSimilarity(row: Endpoint, { names }: NamedRoute): number {
  const sharedCount = row.parameters.filter((parameter) => parameter.in === 'query' && names.has(parameter.name)).length
  return sharedCount >= 2 ? sharedCount : 0
}

/** Only reads may get another path, because a GET of a wrong path changes nothing. */
export function canHaveOtherPath(row: Endpoint): boolean {
  return row.method === 'GET' && row.access === 'read' && row.auth === 'token' && !row.returnsSecret
}

/** Hosts name placeholders `{id}` and `{index}` (spec §9, observed-0.49). */
export function compareCapabilities(capabilities: Pick<Capabilities, 'routes'>): CapabilityComparison {
  const { routes } = capabilities
  const routesByShape = new Map(routes.map((route) => [toRouteShape(route.method, route.path), route]))
  const tableShapes = new Set(endpoints.map((row) => toRouteShape(row.method, row.path)))
  // A host of which no list of routes is known may have every route.
  const missingRowIds = endpoints
    .filter((row) => routes.length > 0 && !routesByShape.has(toRouteShape(row.method, row.path)))
    .map((row) => row.id)
  const unknownRoutes = routes.filter((route) => !tableShapes.has(toRouteShape(route.method, route.path)))
  const readableRoutes = unknownRoutes
    .filter(({ method }) => method.toUpperCase() === 'GET')
    .slice(0, MAX_COMPARED_ROUTES)
  const otherRoutes = readableRoutes.map(toNamedRoute)
  const candidatePaths: Record<string, readonly string[]> = {}
  const pathOverrides: Record<string, string> = {}
  for (const row of endpoints.filter(
    (endpoint) => canHaveOtherPath(endpoint) && (endpoint.recognition || missingRowIds.includes(endpoint.id)),
  )) {
    const rate = (candidate: NamedRoute): number =>
      row.recognition ? rateRecognition(row, row.recognition, candidate) : rateSimilarity(row, candidate)
    const listedRoute = routesByShape.get(toRouteShape(row.method, row.path))
    const ownRoute = listedRoute ? toNamedRoute(listedRoute) : null
    const candidates = [...otherRoutes, ...(ownRoute ? [ownRoute] : [])]
      .map((candidate) => ({ path: toPathTemplate(candidate.route.path), rating: rate(candidate) }))
      .filter((candidate) => candidate.rating > 0 && canServeRow(row, candidate.path))
      .sort((a, b) => b.rating - a.rating)
    if (!candidates.some(({ path }) => toRouteShape('GET', path) !== toRouteShape('GET', row.path))) continue
    candidatePaths[row.id] = [...new Set(candidates.map(({ path }) => path))]
    const [best] = candidates
    // Its own path is used if listed, unless it is listed with parameters of something else.
    const keepsOwnPath = ownRoute !== null && (ownRoute.names.size === 0 || rate(ownRoute) > 0)
    if (row.recognition && best && !keepsOwnPath) pathOverrides[row.id] = best.path
  }
  const overriddenShapes = new Set(Object.values(pathOverrides).map((path) => toRouteShape('GET', path)))
  return {
    pathOverrides,
    candidatePaths,
    unknownRoutes: unknownRoutes.filter((route) => !overriddenShapes.has(toRouteShape(route.method, route.path))),
    missingRowIds: missingRowIds.filter((id) => !Object.hasOwn(pathOverrides, id)),
  }
}

/** Fewer listed rows of the table than this, such as a few links, are no list of routes. */
const MIN_LISTED_ROWS = 3

/**
 * Returns the ids of the reads that a host leaves out of its list of routes, so that they are not
 * sent (spec §9). A path that is listed with another method, or with none, is not left out.
 */
export function findUnlistedReadIds(capabilities: Pick<Capabilities, 'routes'>): Set<string> {
  const { missingRowIds } = compareCapabilities(capabilities)
  if (endpoints.length - missingRowIds.length < MIN_LISTED_ROWS) return new Set()
  const pathShapes = new Set(capabilities.routes.map(({ path }) => toRouteShape('', path)))
  const unlistedRows = missingRowIds
    .map(getEndpoint)
    .filter(({ access, path }) => access === 'read' && !pathShapes.has(toRouteShape('', path)))
    // These two say what the host has, and may leave out themselves.
    .filter(({ id }) => id !== 'capabilities.get' && id !== 'guide.get')
  return new Set(unlistedRows.map(({ id }) => id))
}

/** Returns the endpoint with the path that the host uses for it. */
export function getServedRow(id: EndpointId, report: CapabilityComparison | null): Pick<Endpoint, 'method' | 'path'> {
  const { method, path } = getEndpoint(id)
  return { method, path: report?.pathOverrides[id] ?? path }
}

/**
 * Returns whether a host lists the route of an endpoint, under the path that it uses. Null if that
 * is not known: the capabilities were not read, or list no routes.
 */
export function isRouteListed(
  row: Pick<Endpoint, 'id' | 'method' | 'path'>,
  host: {
    readonly capabilities: Pick<Capabilities, 'routes'> | null
    readonly target: { readonly pathOverrides: CapabilityComparison['pathOverrides'] }
  },
): boolean | null {
  const { capabilities, target } = host
  if (capabilities === null || capabilities.routes.length === 0) return null
  return findRowRoute({ method: row.method, path: target.pathOverrides[row.id] ?? row.path }, capabilities) !== null
}

export function findRowRoute(
  row: Pick<Endpoint, 'method' | 'path'>,
  { routes }: Pick<Capabilities, 'routes'>,
): CapabilityRoute | null {
  return routes.find((route) => toRouteShape(route.method, route.path) === toRouteShape(row.method, row.path)) ?? null
}
