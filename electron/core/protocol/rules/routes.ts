import { endpoints } from '../../../../shared/bridge/endpoints/index.ts'
import { toRouteShape } from '../../../../shared/bridge/capabilities.ts'
import { findListedRoutes } from '../../../../shared/bridge/listed-routes.ts'
import { computeEditDistance } from '../../contract/edit-distance.ts'
import type { RuleContext, RuleState } from '../rule-state.ts'
import { isRefused, type ObservedExchange } from '../observed-exchange.ts'
import { unknownIdCodePattern } from './failed-ids.ts'

/** Only these origins are judged. A person at the console sees the refusal anyway. */
const programs: ReadonlySet<string> = new Set(['panel', 'recorded'])

/** Longer paths and segments are not compared. */
const MAX_PATH_CHARS = 300
const MAX_SEGMENT_CHARS = 60
/** Misspelled if at most this many characters, and this share of the text, differ. */
const MAX_TYPOS = 4
const MAX_TYPO_SHARE = 0.25
/** Fewer paths outside of `routes`, such as a few links, are no list of routes. */
const MIN_LISTED_PATHS = 3

/** Reports calls of unknown routes, and of routes that a panel may not call (spec §1, §5.4). */
export function createRouteRule(): RuleState {
  return {
    observe(exchange, context) {
      const { method, seq, status, code } = exchange
      if (!programs.has(exchange.origin.kind) || !isRefused(exchange)) return
      const isBarred = status === 403 && code === 'IN_PROCESS_NOT_ALLOWED'
      if (!isBarred && ((status !== 404 && status !== 405) || isAboutId(exchange))) return
      const path = getBarePath(exchange)
      // An allow list has methods too: a call with another one is no spelling mistake.
      const nearest = findNearestRoute(exchange, context.getRoutes() ?? [], !isBarred)
      if (nearest !== null) context.report('unknown-route', [seq], { method, path, nearest })
      else if (isBarred) {
        if (!isLeftOut(exchange, context)) context.report('outside-allow-list', [seq], { method, path })
      } else if (exchange.endpoint === null && isUnlisted(exchange, context))
        context.report('unknown-route', [seq], { method, path, nearest: '' })
    },
  }
}

/**
 * Returns whether this program refused a route of the contract because the host's list of all
 * routes leaves it out: not every host has a list for panels, and none was broken then.
 */
function isLeftOut(exchange: ObservedExchange, context: RuleContext): boolean {
  return !exchange.isHostResponse && exchange.endpoint !== null && isUnlisted(exchange, context)
}

/** Returns whether the host listed its routes and this request matches none of them. */
function isUnlisted(exchange: ObservedExchange, context: RuleContext): boolean {
  const listedRoutes = context.getRoutes()
  return listedRoutes !== null && !listedRoutes.some((route) => isRequestForRoute(route, exchange))
}

const isAboutId = ({ code }: ObservedExchange): boolean => unknownIdCodePattern.test(code ?? '')

/**
 * Finds the known route that the caller of an unknown route most likely meant. Returns null if the
 * route is known, or similar to no route. A route with the same path and a different method is
 * considered only if `mayBeOtherMethod` is true.
 */
function findNearestRoute(
  exchange: ObservedExchange,
  listed: readonly string[],
  mayBeOtherMethod: boolean,
): string | null {
  if (exchange.endpoint !== null || listed.some((listedRoute) => isRequestForRoute(listedRoute, exchange))) return null
  const path = getBarePath(exchange).slice(0, MAX_PATH_CHARS)
  let nearest: { readonly route: string; readonly differences: number } | null = null
  for (const route of new Set([...endpoints.map(({ method, path: template }) => `${method} ${template}`), ...listed])) {
    const typos = countTypos(path, route)
    if (typos === null) continue
    if (typos === 0 && !mayBeOtherMethod) return null
    const differences = typos + (route.startsWith(`${exchange.method.toUpperCase()} `) ? 0 : 1)
    if (differences < (nearest?.differences ?? Infinity)) nearest = { route, differences }
  }
  return nearest?.route ?? null
}

function countTypos(path: string, route: string): number | null {
  const template = route.slice(route.indexOf(' ') + 1)
  const [requestSegments, templateSegments] = [path, template].map((text) => text.split('/').filter(Boolean))
  if (!requestSegments || !templateSegments || requestSegments.length !== templateSegments.length) return null
  let [typos, literal] = [0, 0]
  for (const [index, segment] of templateSegments.entries()) {
    if (segment.startsWith('{')) continue
    literal += segment.length
    typos += computeEditDistance((requestSegments[index] ?? '').slice(0, MAX_SEGMENT_CHARS), segment)
    if (typos > MAX_TYPOS) return null
  }
  return typos <= Math.max(1, Math.floor(literal * MAX_TYPO_SHARE)) ? typos : null
}

function isRequestForRoute(route: string, { method, path }: ObservedExchange): boolean {
  const [verb = '', template = ''] = route.split(' ', 2)
  if (method.toUpperCase() !== verb && !(method === 'HEAD' && verb === 'GET')) return false
  const [requestSegments, templateSegments] = [path.split('?', 1)[0] ?? '', template].map((text) =>
    text.split('/').filter(Boolean),
  )
  return (
    requestSegments?.length === templateSegments?.length &&
    (templateSegments ?? []).every((segment, index) => segment.startsWith('{') || segment === requestSegments?.[index])
  )
}

/** Returns whether a placeholder of the path can stand for several segments. */
const hasWildcard = (path: string): boolean => /\*|\{[^{}+.]*[+.][^{}]*\}/.test(path)

/** Reads routes (`GET /notes/{noteid}/render`); null without any, or if some may be missing. */
export function parseListedRoutes(capabilities: unknown): readonly string[] | null {
  const routes = findListedRoutes(capabilities, ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
  const listed: unknown = Reflect.get(Object(capabilities) as object, 'routes')
  const isWhole = Array.isArray(listed)
    ? routes.length > 0 && listed.every((entry) => findListedRoutes([entry]).length > 0)
    : new Set(routes.map(({ path }) => path)).size >= MIN_LISTED_PATHS
  if (!isWhole || routes.some(({ path }) => hasWildcard(path))) return null
  return routes.map(({ method, path }) => toRouteTemplate(method, path))
}

const toRouteTemplate = (method: string, path: string): string => toRouteShape(method, path).replaceAll('{}', '{…}')

const getBarePath = ({ path }: ObservedExchange): string => path.split('?', 1)[0] ?? ''
