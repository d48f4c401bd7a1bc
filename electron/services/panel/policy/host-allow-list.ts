import { classifyRequest, endpoints } from '../../../../shared/bridge/endpoints/index.ts'
import type { Capabilities } from '../../../../shared/bridge/resources/state.ts'
import { isObject } from '../../../../shared/json/object.ts'
import type { AllowedRoute, AllowList } from '../../../../shared/panel/panel.ts'

type HostList = Pick<AllowList, 'host' | 'from'>

const MAX_ROUTES = 5_000
/** Maximum depth at which a list is searched. */
const MAX_DEPTH = 5

/** Likely names of a list of the routes for panels. The spec names none. */
const LIST_NAME =
  /^(?:(?:web|in_?process|scene)?_?panel_?)?(?:allow(?:ed)?_?(?:list|routes|paths|endpoints|apis?)?|white_?list|(?:web|scene)?_?panel_?(?:routes|paths|endpoints|apis?|api)|in_?process_?(?:routes|paths|endpoints|allowed))$/i
/** Likely names of the flag that allows a route for panels. */
const FLAG_NAME = /^(?:in_?process|web_?panel|panel)_?(?:allowed|available|access)?$/i

/**
 * Returns the routes that the connected host allows panels to call: the list for panels in the
 * host's template or capabilities, in any known shape. If there is no such list, the result
 * contains all routes of the capabilities, or of the contract if the capabilities list none, except
 * those that return a token. A route outside these lists is never allowed.
 * @see spec §5.3
 */
export function readHostAllowList(capabilities: Capabilities | null, template: unknown): HostList {
  const templateRoutes = findRouteList(template)
  if (templateRoutes) return { host: templateRoutes, from: 'template' }
  if (!capabilities) return { host: [], from: 'nowhere' }
  const { routes, ...rest } = capabilities
  const listedRoutes = findRouteList(rest) ?? selectFlaggedRoutes(routes)
  if (listedRoutes) return { host: listedRoutes, from: 'capabilities-panel' }
  if (routes.length === 0) {
    const contractRoutes = endpoints.filter(({ createsProfile, returnsSecret }) => !createsProfile && !returnsSecret)
    return { host: contractRoutes.flatMap(({ method, path }) => toRoutes(method, path)), from: 'contract' }
  }
  const unlistedRoutes = routes.flatMap(({ method, path }) =>
    classifyRequest(method, path).endpoint?.createsProfile ? [] : toRoutes(method, path),
  )
  return { host: unlistedRoutes.slice(0, MAX_ROUTES), from: 'capabilities-routes' }
}

/** Finds a member with name and shape of such a list, down to `MAX_DEPTH`; null without any. */
function findRouteList(value: unknown, depth = 0): AllowedRoute[] | null {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return null
  const members = Object.entries(value).slice(0, 1_000)
  const allRoutes: AllowedRoute[] = []
  let hasList = false
  for (const [name, member] of members) {
    const key = name.replace(/-/g, '_')
    const routes = !Array.isArray(value) && LIST_NAME.test(key) ? parseRoutes(member) : null
    const nestedRoutes = routes ?? findRouteList(member, depth + 1)
    if (nestedRoutes) {
      hasList = true
      allRoutes.push(...nestedRoutes)
    }
  }
  return hasList ? allRoutes.slice(0, MAX_ROUTES) : null
}

/** A list of texts or objects, or an object with methods or paths as keys; null for others. */
function parseRoutes(value: unknown): AllowedRoute[] | null {
  if (Array.isArray(value)) {
    const routes = value.slice(0, MAX_ROUTES).flatMap(parseRouteEntry)
    return routes.length > 0 || value.length === 0 ? routes : null
  }
  if (!isObject(value)) return null
  const routes = Object.entries(value).flatMap(([name, member]): AllowedRoute[] => {
    if (isMethodName(name) && Array.isArray(member)) return member.flatMap((path) => toRoutes(name, path))
    if (!name.startsWith('/')) return []
    if (member === true) return toRoutes('*', name)
    const methods: readonly unknown[] = Array.isArray(member) ? member : [member]
    return methods.flatMap((method) =>
      typeof method === 'string' && isMethodName(method) ? toRoutes(method, name) : [],
    )
  })
  if (routes.length > 0) return routes
  // The list may be in a member, as in `{ "mode": "listed", "routes": [...] }`.
  const inner = ['routes', 'paths', 'endpoints', 'items', 'list'].map((name) => value[name]).find(Array.isArray)
  return inner ? parseRoutes(inner) : null
}

/** Accepts `GET /notes/{id}`, `/notes/*`, `{ method, path }` and `{ methods: [...], route }`. */
function parseRouteEntry(entry: unknown): AllowedRoute[] {
  if (typeof entry === 'string') {
    const [, method, path] = /^\s*(?:([A-Za-z*]+)\s+)?(\/?\S+)\s*$/.exec(entry) ?? []
    return path === undefined || !path.includes('/') ? [] : toRoutes(method ?? '*', path)
  }
  if (!isObject(entry)) return []
  const path = ['path', 'route', 'template', 'pattern', 'url']
    .map((name) => entry[name])
    .find((candidate) => typeof candidate === 'string')
  const methodValue = entry['methods'] ?? entry['method'] ?? entry['verb'] ?? '*'
  const methods: readonly unknown[] = Array.isArray(methodValue) ? methodValue : [methodValue]
  return methods.flatMap((method) => (typeof method === 'string' ? toRoutes(method, path) : []))
}

/** Returns the routes that a flag allows for panels; null if no route has such a flag. */
function selectFlaggedRoutes(routes: Capabilities['routes']): AllowedRoute[] | null {
  const flags = routes.map(
    (route) => Object.entries(route).find(([name]) => FLAG_NAME.test(name.replace(/-/g, '_')))?.[1],
  )
  if (!flags.some((flag) => typeof flag === 'boolean')) return null
  return routes.flatMap(({ method, path }, index) => (flags[index] === true ? toRoutes(method, path) : []))
}

const isMethodName = (name: string): boolean => /^(?:\*|GET|HEAD|POST|PUT|PATCH|DELETE)$/i.test(name)

function toRoutes(method: string, path: unknown): AllowedRoute[] {
  if (typeof path !== 'string' || path.length > 500 || !/^\/?[^\s/]/.test(path)) return []
  const verb = /^(?:any|all)$/i.test(method) ? '*' : method.toUpperCase()
  if (!isMethodName(verb)) return []
  return [{ method: verb, path: path.startsWith('/') ? path : `/${path}` }]
}

/** Returns the ids in order and without repetitions. @see spec §5.3, §7 */
export function readPluginIds(template: unknown): string[] {
  const plugins = isObject(template) ? template['plugins'] : undefined
  const entries: readonly unknown[] = Array.isArray(plugins) ? plugins.slice(0, 100) : []
  const ids = entries.flatMap((entry) => {
    const id = isObject(entry) ? (entry['id'] ?? entry['pluginId'] ?? entry['addon']) : entry
    return typeof id === 'string' && id !== '' && id.length <= 200 ? [id] : []
  })
  return [...new Set(ids)]
}
