import { z } from 'zod'
import type { Endpoint } from '../bridge/endpoints/endpoint.ts'
import { routeShape, templateOf } from '../bridge/capabilities.ts'
import { templatePattern } from '../bridge/endpoints/path-template.ts'
import { toPointer, valueAt } from '../json/pointer.ts'
import { isObject, member } from '../json/object.ts'
import type { AllowedRoute } from './panel.ts'

/** Where the host said something: a JSON pointer into one of its answers, and the value there as JSON text. */
export const quoteSchema = z.strictObject({
  from: z.enum(['capabilities', 'template', 'ui-state']),
  pointer: z.string(),
  value: z.string(),
})
export type Quote = z.infer<typeof quoteSchema>

/** A value in an answer of the host, and where it is. */
export interface Found {
  readonly trail: readonly PropertyKey[]
  readonly value: unknown
}

/** The route of the capabilities that a call belongs to: by its row, or by its own segments. */
export function routeIn(capabilities: unknown, method: string, path: string, row: Endpoint | null): Found | null {
  const routes = member(capabilities, 'routes')
  if (!Array.isArray(routes)) return null
  const bare = path.split('?', 1)[0] ?? ''
  const at = routes.findIndex((route) => {
    const [verb, listed] = [member(route, 'method'), member(route, 'path')]
    if (typeof verb !== 'string' || typeof listed !== 'string') return false
    if (row) return routeShape(verb, listed) === routeShape(row.method, row.path)
    return verb.toUpperCase() === method.toUpperCase() && templatePattern(templateOf(listed)).test(bare)
  })
  return at < 0 ? null : { trail: ['routes', at], value: routes[at] }
}

export const withoutRoutes = (capabilities: unknown): unknown =>
  isObject(capabilities) ? Object.fromEntries(Object.entries(capabilities).filter(([name]) => name !== 'routes')) : null

/** How deep an entry is looked for, and how many values of one level. */
const DEEPEST = 5
const WIDEST = 5_000

/** The first value at any place that names this method and path: `GET /notes/{id}`, or an object with both. */
export function entryIn(value: unknown, route: AllowedRoute, trail: readonly PropertyKey[] = []): Found | null {
  const shape = routeShape(route.method, route.path)
  if (typeof value === 'string') {
    const [verb = '', path = ''] = value.includes(' ') ? value.trim().split(/\s+/, 2) : ['*', value]
    return path.includes('/') && routeShape(verb, path) === shape ? { trail, value } : null
  }
  if (typeof value !== 'object' || value === null || trail.length > DEEPEST) return null
  const [verb, path] = [member(value, 'method') ?? '*', member(value, 'path') ?? member(value, 'route')]
  if (typeof verb === 'string' && typeof path === 'string' && routeShape(verb, path) === shape) return { trail, value }
  for (const [name, one] of Object.entries(value).slice(0, WIDEST)) {
    const found = entryIn(one, route, [...trail, name])
    if (found) return found
  }
  return null
}

/** Characters of a value that are quoted. */
const MOST_QUOTED = 300

export function quoteOf(from: Quote['from'], found: Found | null): Quote | null {
  if (found === null || found.value === undefined) return null
  const text = JSON.stringify(found.value)
  return {
    from,
    pointer: toPointer(found.trail),
    value: text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text,
  }
}

export const quoteAt = (from: Quote['from'], whole: unknown, trail: readonly PropertyKey[]): Quote | null =>
  quoteOf(from, { trail, value: valueAt(whole, toPointer(trail)) })
