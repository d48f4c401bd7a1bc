import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import type { AllowedRoute } from '../../../shared/panel/panel.ts'

/** A line of an allow list, and the reason why it is not a route; null if it is a route. */
export interface AllowListLine {
  readonly lineNumber: number
  readonly text: string
  readonly problem: 'shape' | 'method' | 'path' | 'double' | null
}

const METHODS: ReadonlySet<string> = new Set([...endpoints.map(({ method }) => method as string), 'HEAD', '*'])
/** A path of segments, each of which is literal text or a `{placeholder}`. */
const TEMPLATE = /^(?:\/(?:[\w.~%-]+|\{[\w-]{1,60}\}))+$/

/**
 * Each line is like `GET /notes/{id}/render`. Empty lines and comments that begin with `#` are
 * ignored.
 * @returns the routes of the valid lines, and the invalid lines with their reason
 */
export function parseAllowList(text: string): { routes: AllowedRoute[]; problems: AllowListLine[] } {
  const routes: AllowedRoute[] = []
  const problems: AllowListLine[] = []
  const acceptedKeys = new Set<string>()
  for (const [index, line] of text.split('\n').entries()) {
    const rule = line.trim()
    if (rule === '' || rule.startsWith('#')) continue
    const [method = '', path = '', ...more] = rule.split(/\s+/)
    const route = { method: method.toUpperCase(), path }
    const key = `${route.method} ${path.replace(/\{[^{}]*\}/g, '{}')}`
    const problem =
      path === '' || more.length > 0
        ? 'shape'
        : !METHODS.has(route.method)
          ? 'method'
          : path.length > 500 || !TEMPLATE.test(path) || /\/\.\.?(?:\/|$)/.test(path)
            ? 'path'
            : acceptedKeys.has(key)
              ? 'double'
              : null
    if (problem !== null) problems.push({ lineNumber: index + 1, text: rule, problem })
    else routes.push(route)
    acceptedKeys.add(key)
  }
  return { routes, problems }
}

export function formatAllowList(routes: readonly AllowedRoute[]): string {
  return routes.map(({ method, path }) => `${method} ${path}`).join('\n')
}
