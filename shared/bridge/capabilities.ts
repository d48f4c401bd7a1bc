import type { Capabilities, CapabilityRoute } from './resources/state.ts'
import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints/index.ts'

/** What a host's capabilities say about our table (spec §9: they are authoritative). */
export interface CapabilityReport {
  /** Path templates to use in place of the table's, by endpoint id. */
  readonly pathOverrides: Readonly<Record<string, string>>
  /** Routes that the table does not know. */
  readonly unknown: readonly CapabilityRoute[]
  /** Ids of rows that the host does not list. */
  readonly missing: readonly string[]
}

const shape = (method: string, path: string): string => `${method.toUpperCase()} ${nameless(path)}`

/** A listed path in the table's form: below the base URL, placeholders in braces. */
export function template(path: string): string {
  return `/${path}`
    .replace(/^\/+/, '/')
    .replace(/^\/bridge\/v1(?=\/)/, '')
    .replace(/(?<=\/):([A-Za-z_]+)/g, '{$1}')
    .replace(/(?<=.)\/$/, '')
}

const nameless = (path: string): string => template(path).replace(/\{[^{}]*\}/g, '{}')

/** Last segments under which hosts are known or likely to list the card listing, whose path spec §4 does not show. */
const treeNames = ['tree', 'cards', 'nodes', 'mind-map', 'mindmap']

/** Compares the capabilities with the table (spec §9, observed-0.49: templates use `{id}` and `{index}`). */
export function compareCapabilities(capabilities: Pick<Capabilities, 'routes'>): CapabilityReport {
  const listed = new Map(capabilities.routes.map((route) => [shape(route.method, route.path), route]))
  const known = new Set(endpoints.map((row) => shape(row.method, row.path)))
  const missing = endpoints.filter((row) => !listed.has(shape(row.method, row.path))).map((row) => row.id)
  const unknown = capabilities.routes.filter((route) => !known.has(shape(route.method, route.path)))
  const pathOverrides: Record<string, string> = {}
  if (missing.includes('studySets.tree')) {
    const tree = unknown.find(
      (route) =>
        route.method.toUpperCase() === 'GET' &&
        treeNames.some((name) => nameless(route.path) === `/study-sets/{}/${name}`),
    )
    if (tree) pathOverrides['studySets.tree'] = template(tree.path)
  }
  const overridden = new Set(Object.values(pathOverrides).map((path) => shape('GET', path)))
  return {
    pathOverrides,
    unknown: unknown.filter((route) => !overridden.has(shape(route.method, route.path))),
    missing: missing.filter((id) => !Object.hasOwn(pathOverrides, id)),
  }
}

/** What the capabilities list for a row; null if they do not list it. */
export function routeOf(
  row: Pick<Endpoint, 'method' | 'path'>,
  { routes }: Pick<Capabilities, 'routes'>,
): CapabilityRoute | null {
  return routes.find((route) => shape(route.method, route.path) === shape(row.method, row.path)) ?? null
}
