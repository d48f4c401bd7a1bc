import { toPathTemplate } from '../../../../shared/bridge/capabilities.ts'
import type { AllowedRoute, AllowList } from '../../../../shared/panel/panel.ts'
import type { CallPath } from '../call/page-call.ts'
import { rowDefaults } from '../../../../shared/bridge/endpoints/row-builders.ts'
import { getEndpointById, endpoints } from '../../../../shared/bridge/endpoints/index.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { resolveRow } from '../../bridge/client/request-row.ts'
import type { ConnectedHost } from '../../bridge/connection/connected-host.ts'

/** The row that a call belongs to; one without an id if nobody knows the route. */
export function findCallRow(method: string, path: CallPath | null, here: ConnectedHost | null): Endpoint {
  if (path === null) return { ...rowDefaults, ...getEndpointById('status.get'), id: '', path: '', access: 'write' }
  return resolveRow(method, path.path, here?.target ?? { pathOverrides: {} }, here?.capabilities ?? null)
}

/** Routes that hand out a token, or a code for one, as hosts of any spelling might take them. */
const secretShapes = endpoints
  .filter(({ returnsSecret: secret, createsProfile: pairs }) => secret || pairs)
  .map(({ path }) => path.toLowerCase().slice(1).split('/'))

/**
 * Whether a call could be answered with a token. The letter case counts for nothing: some servers
 * ignore it.
 */
export function isAlwaysRefused(row: Endpoint, { segments }: CallPath): boolean {
  if (row.returnsSecret || row.createsProfile) return true
  const shape = segments.map((one) => one.toLowerCase())
  return secretShapes.some(
    (parts) => parts.length === shape.length && parts.every((part, at) => part.startsWith('{') || part === shape[at]),
  )
}

/** Methods that a panel can use at all, whatever a list says. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Whether a list names this method and path. */
export function isCallAllowed(
  list: Pick<AllowList, 'mode' | 'host' | 'mine'>,
  method: string,
  path: CallPath,
): boolean {
  if (!methods.has(method)) return false
  if (list.mode === 'all') return true
  return list[list.mode].some((route) => isNamed(route, method, path))
}

/** The first route of a list that names this method and path; null if none does. */
export const findListedRoute = (routes: readonly AllowedRoute[], method: string, path: CallPath): AllowedRoute | null =>
  routes.find((route) => isNamed(route, method, path)) ?? null

function isNamed(route: AllowedRoute, method: string, { segments }: CallPath): boolean {
  return (route.method === '*' || route.method.toUpperCase() === method) && fits(route.path, segments)
}

/**
 * Whether segments are those of a template: placeholders and `*` stand for one segment each, a `*`
 * or `**` at the end for one or more. Anything else is text, compared letter for letter.
 */
function fits(template: string, segments: readonly string[]): boolean {
  const parts = toPathTemplate(template).slice(1).split('/')
  const last = parts.at(-1)
  const isOpen = last === '**' || last === '*'
  if (isOpen ? segments.length < parts.length : segments.length !== parts.length) return false
  return parts.every((part, at) => isAny(part) || (at === parts.length - 1 && isOpen) || part === segments[at])
}

const isAny = (part: string): boolean => part === '*' || /^\{[^{}]*\}$/.test(part)
