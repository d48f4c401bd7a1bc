import { classifyRequest } from '../../../../shared/bridge/endpoints/index.ts'
import type { Capabilities } from '../../../../shared/bridge/resources/state.ts'
import { isObject } from '../../../../shared/json/object.ts'
import type { AllowedRoute, AllowList } from '../../../../shared/panel/panel.ts'

type HostList = Pick<AllowList, 'host' | 'from'>

const MAX_ROUTES = 5_000
/** How deep a list is looked for. */
const MAX_DEPTH = 5

/** Names that a list of what a panel may call is likely to have; the documents show none. */
const listName =
  /^(?:(?:web|in_?process|scene)?_?panel_?)?(?:allow(?:ed)?_?(?:list|routes|paths|endpoints|apis?)?|white_?list|(?:web|scene)?_?panel_?(?:routes|paths|endpoints|apis?|api)|in_?process_?(?:routes|paths|endpoints|allowed))$/i
/** A flag that a listed route may carry. */
const flagName = /^(?:in_?process|web_?panel|panel)_?(?:allowed|available|access)?$/i

/**
 * What the connected host lets a panel call (spec §5.3): the list that its template or its
 * capabilities name for panels, in whatever shape. Where neither names one, all routes of the
 * capabilities but those that hand out a token, which no panel gets: a route that nobody lists is
 * never allowed.
 */
export function readHostAllowList(capabilities: Capabilities | null, template: unknown): HostList {
  const inTemplate = listIn(template)
  if (inTemplate) return { host: inTemplate, from: 'template' }
  if (!capabilities) return { host: [], from: 'nowhere' }
  const { routes, ...rest } = capabilities
  const named = listIn(rest) ?? flagged(routes)
  if (named) return { host: named, from: 'capabilities-panel' }
  const host = routes.flatMap(({ method, path }) =>
    classifyRequest(method, path).endpoint?.createsProfile ? [] : routeOf(method, path),
  )
  return { host: host.slice(0, MAX_ROUTES), from: 'capabilities-routes' }
}

/**
 * The first member, at any place, whose name says that it is such a list and whose value is one.
 */
function listIn(value: unknown, depth = 0): AllowedRoute[] | null {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return null
  const members = Object.entries(value).slice(0, 1_000)
  const found: AllowedRoute[] = []
  let any = false
  for (const [name, member] of members) {
    const key = name.replace(/-/g, '_')
    const routes = !Array.isArray(value) && listName.test(key) ? routesOf(member) : null
    const inner = routes ?? listIn(member, depth + 1)
    if (inner) {
      any = true
      found.push(...inner)
    }
  }
  return any ? found.slice(0, MAX_ROUTES) : null
}

/**
 * Routes in a list of texts or objects, or in an object by method or by path; null if this is none
 * of them.
 */
function routesOf(value: unknown): AllowedRoute[] | null {
  if (Array.isArray(value)) {
    const routes = value.slice(0, MAX_ROUTES).flatMap(routesIn)
    return routes.length > 0 || value.length === 0 ? routes : null
  }
  if (!isObject(value)) return null
  const routes = Object.entries(value).flatMap(([name, member]): AllowedRoute[] => {
    if (isMethod(name) && Array.isArray(member)) return member.flatMap((path) => routeOf(name, path))
    if (!name.startsWith('/')) return []
    if (member === true) return routeOf('*', name)
    const given: readonly unknown[] = Array.isArray(member) ? member : [member]
    return given.flatMap((method) => (typeof method === 'string' && isMethod(method) ? routeOf(method, name) : []))
  })
  if (routes.length > 0) return routes
  // A list within: `{ "mode": "listed", "routes": [...] }`.
  const inner = ['routes', 'paths', 'endpoints', 'items', 'list'].map((name) => value[name]).find(Array.isArray)
  return inner ? routesOf(inner) : null
}

/** One entry: `GET /notes/{id}`, `/notes/*`, `{ method, path }`, `{ methods: [...], route }`. */
function routesIn(entry: unknown): AllowedRoute[] {
  if (typeof entry === 'string') {
    const [, method, path] = /^\s*(?:([A-Za-z*]+)\s+)?(\/?\S+)\s*$/.exec(entry) ?? []
    return path === undefined || !path.includes('/') ? [] : routeOf(method ?? '*', path)
  }
  if (!isObject(entry)) return []
  const path = ['path', 'route', 'template', 'pattern', 'url']
    .map((name) => entry[name])
    .find((one) => typeof one === 'string')
  const given = entry['methods'] ?? entry['method'] ?? entry['verb'] ?? '*'
  const names: readonly unknown[] = Array.isArray(given) ? given : [given]
  return names.flatMap((method) => (typeof method === 'string' ? routeOf(method, path) : []))
}

/** Listed routes that carry a flag of their own; null if none does. */
function flagged(routes: Capabilities['routes']): AllowedRoute[] | null {
  const flags = routes.map(
    (route) => Object.entries(route).find(([name]) => flagName.test(name.replace(/-/g, '_')))?.[1],
  )
  if (!flags.some((flag) => typeof flag === 'boolean')) return null
  return routes.flatMap(({ method, path }, at) => (flags[at] === true ? routeOf(method, path) : []))
}

const isMethod = (name: string): boolean => /^(?:\*|GET|HEAD|POST|PUT|PATCH|DELETE)$/i.test(name)

function routeOf(method: string, path: unknown): AllowedRoute[] {
  if (typeof path !== 'string' || path.length > 500 || !/^\/?[^\s/]/.test(path)) return []
  const verb = /^(?:any|all)$/i.test(method) ? '*' : method.toUpperCase()
  if (!isMethod(verb)) return []
  return [{ method: verb, path: path.startsWith('/') ? path : `/${path}` }]
}

/** The ids of the plugins that a template lists, in order (spec §5.3, §7). */
export function readPluginIds(template: unknown): string[] {
  const plugins = isObject(template) ? template['plugins'] : undefined
  const listed: readonly unknown[] = Array.isArray(plugins) ? plugins.slice(0, 100) : []
  const ids = listed.flatMap((one) => {
    const id = isObject(one) ? (one['id'] ?? one['pluginId'] ?? one['addon']) : one
    return typeof id === 'string' && id !== '' && id.length <= 200 ? [id] : []
  })
  return [...new Set(ids)]
}
