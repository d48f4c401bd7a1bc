import { z } from 'zod'
import type { Endpoint } from '../bridge/endpoints/endpoint.ts'
import { toRouteShape, toPathTemplate } from '../bridge/capabilities.ts'
import { matchPathTemplate } from '../bridge/endpoints/path-template.ts'
import { toPointer, getValueAtPointer } from '../json/pointer.ts'
import { isObject, getMember } from '../json/object.ts'
import type { AllowedRoute } from './panel.ts'

/** A value in a response of the host: its place as a JSON pointer, and its JSON text. */
export const hostQuoteSchema = z.strictObject({
  from: z.enum(['capabilities', 'template', 'ui-state']),
  pointer: z.string(),
  value: z.string(),
})
export type HostQuote = z.infer<typeof hostQuoteSchema>

/** `path` leads to the value in a response of the host. */
export interface LocatedValue {
  readonly path: readonly PropertyKey[]
  readonly value: unknown
}

/** Finds the route by the call's endpoint, or by the segments of its path. */
export function findCallRoute(
  capabilities: unknown,
  method: string,
  path: string,
  row: Endpoint | null,
): LocatedValue | null {
  const routes = getMember(capabilities, 'routes')
  if (!Array.isArray(routes)) return null
  const bare = path.split('?', 1)[0] ?? ''
  const index = routes.findIndex((route) => {
    const [verb, listed] = [getMember(route, 'method'), getMember(route, 'path')]
    if (typeof verb !== 'string' || typeof listed !== 'string') return false
    if (row) return toRouteShape(verb, listed) === toRouteShape(row.method, row.path)
    return verb.toUpperCase() === method.toUpperCase() && matchPathTemplate(toPathTemplate(listed), bare) !== null
  })
  return index < 0 ? null : { path: ['routes', index], value: routes[index] }
}

export function omitRoutes(capabilities: unknown): unknown {
  return isObject(capabilities)
    ? Object.fromEntries(Object.entries(capabilities).filter(([name]) => name !== 'routes'))
    : null
}

/** Deeper levels, and further values of a level, are not searched. */
const MAX_DEPTH = 5
const MAX_VALUES_PER_LEVEL = 5_000

/** The first value anywhere that is a text such as `GET /notes/{id}`, or such an object. */
export function findRouteEntry(
  value: unknown,
  route: AllowedRoute,
  trail: readonly PropertyKey[] = [],
): LocatedValue | null {
  const shape = toRouteShape(route.method, route.path)
  if (typeof value === 'string') {
    const [verb = '', path = ''] = value.includes(' ') ? value.trim().split(/\s+/, 2) : ['*', value]
    return path.includes('/') && toRouteShape(verb, path) === shape ? { path: trail, value } : null
  }
  if (typeof value !== 'object' || value === null || trail.length > MAX_DEPTH) return null
  const [verb, path] = [getMember(value, 'method') ?? '*', getMember(value, 'path') ?? getMember(value, 'route')]
  if (typeof verb === 'string' && typeof path === 'string' && toRouteShape(verb, path) === shape)
    return { path: trail, value }
  for (const [name, inner] of Object.entries(value).slice(0, MAX_VALUES_PER_LEVEL)) {
    const entry = findRouteEntry(inner, route, [...trail, name])
    if (entry) return entry
  }
  return null
}

const MAX_QUOTED_CHARS = 300

export function toHostQuote(from: HostQuote['from'], located: LocatedValue | null): HostQuote | null {
  if (located === null || located.value === undefined) return null
  const text = JSON.stringify(located.value)
  return {
    from,
    pointer: toPointer(located.path),
    value: text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text,
  }
}

export function quoteHostValue(
  from: HostQuote['from'],
  response: unknown,
  trail: readonly PropertyKey[],
): HostQuote | null {
  return toHostQuote(from, { path: trail, value: getValueAtPointer(response, toPointer(trail)) })
}
