import { toPathTemplate } from '../../../../shared/bridge/capabilities.ts'
import type { AllowedRoute, AllowList } from '../../../../shared/panel/panel.ts'
import type { CallPath } from '../call/page-call.ts'
import { rowDefaults } from '../../../../shared/bridge/endpoints/row-builders.ts'
import { getEndpointById, endpoints } from '../../../../shared/bridge/endpoints/index.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { resolveRow } from '../../bridge/client/request-row.ts'
import type { ConnectedHost } from '../../bridge/connection/connected-host.ts'

/** Returns the endpoint of a call. If the route is unknown, the result has an empty id. */
export function findCallRow(method: string, path: CallPath | null, connectedHost: ConnectedHost | null): Endpoint {
  if (path === null) return { ...rowDefaults, ...getEndpointById('status.get'), id: '', path: '', access: 'write' }
  return resolveRow(
    method,
    path.path,
    connectedHost?.target ?? { pathOverrides: {} },
    connectedHost?.capabilities ?? null,
  )
}

/** The path segments of routes that return a token or a code for a token, in lower case. */
const SECRET_SHAPES = endpoints
  .filter(({ returnsSecret: secret, createsProfile: pairs }) => secret || pairs)
  .map(({ path }) => path.toLowerCase().slice(1).split('/'))

/** The response could contain a token. Some servers ignore letter case, so it does too. */
export function isAlwaysRefused(row: Endpoint, { segments, otherReadings }: CallPath): boolean {
  if (row.returnsSecret || row.createsProfile) return true
  return [segments, ...otherReadings].some((reading) => {
    const shape = reading.map((segment) => segment.toLowerCase())
    return SECRET_SHAPES.some(
      (parts) =>
        parts.length === shape.length && parts.every((part, index) => part.startsWith('{') || part === shape[index]),
    )
  })
}

/**
 * Returns true if a host could read the path as that of another route that is known: the id
 * `a%2Frender` of `/notes/{noteid}` is the route `/notes/{noteid}/render` for a host that decodes
 * before it splits.
 */
export function mayBeOtherRoute(
  row: Endpoint,
  method: string,
  { otherReadings }: CallPath,
  connectedHost: ConnectedHost | null,
): boolean {
  return otherReadings.some((segments) => {
    const reading = { segments, otherReadings: [], path: `/${segments.map(encodeURIComponent).join('/')}`, query: '' }
    const { id } = findCallRow(method, reading, connectedHost)
    return id !== '' && id !== row.id
  })
}

/** The methods that a panel may use at all, whatever the allow list contains. */
const PANEL_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

export function isCallAllowed(
  list: Pick<AllowList, 'mode' | 'host' | 'mine'>,
  method: string,
  path: CallPath,
): boolean {
  if (!PANEL_METHODS.has(method)) return false
  if (list.mode === 'all') return true
  return list[list.mode].some((route) => isRouteMatch(route, method, path))
}

export function findListedRoute(routes: readonly AllowedRoute[], method: string, path: CallPath): AllowedRoute | null {
  return routes.find((route) => isRouteMatch(route, method, path)) ?? null
}

function isRouteMatch(route: AllowedRoute, method: string, { segments }: CallPath): boolean {
  return (route.method === '*' || route.method.toUpperCase() === method) && matchesTemplate(route.path, segments)
}

/** Placeholders and `*` match one segment, a last `*` or `**` one or more; others are exact. */
function matchesTemplate(template: string, segments: readonly string[]): boolean {
  const parts = toPathTemplate(template).slice(1).split('/')
  const last = parts.at(-1)
  const isOpen = last === '**' || last === '*'
  if (isOpen ? segments.length < parts.length : segments.length !== parts.length) return false
  return parts.every((part, index) => isAny(part) || (index === parts.length - 1 && isOpen) || part === segments[index])
}

const isAny = (part: string): boolean => part === '*' || /^\{[^{}]*\}$/.test(part)
