import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import type { AllowedRoute } from '../../../shared/panel/panel.ts'

/** One line of a list that is written by hand, and what is wrong with it; null if nothing is. */
export interface AllowLine {
  readonly lineNumber: number
  readonly text: string
  readonly problem: 'shape' | 'method' | 'path' | 'double' | null
}

const METHODS: ReadonlySet<string> = new Set([...endpoints.map(({ method }) => method as string), 'HEAD', '*'])
/** Segments, each literal or a placeholder. */
const TEMPLATE = /^(?:\/(?:[\w.~%-]+|\{[\w-]{1,60}\}))+$/

/** Lines such as `GET /notes/{id}/render`; empty ones and those that begin with # are left out. */
export function parseAllowLines(text: string): { routes: AllowedRoute[]; problems: AllowLine[] } {
  const routes: AllowedRoute[] = []
  const problems: AllowLine[] = []
  const known = new Set<string>()
  for (const [at, line] of text.split('\n').entries()) {
    const one = line.trim()
    if (one === '' || one.startsWith('#')) continue
    const [method = '', path = '', ...more] = one.split(/\s+/)
    const route = { method: method.toUpperCase(), path }
    const key = `${route.method} ${path.replace(/\{[^}]*\}/g, '{}')}`
    const problem =
      path === '' || more.length > 0
        ? 'shape'
        : !METHODS.has(route.method)
          ? 'method'
          : path.length > 500 || !TEMPLATE.test(path) || /\/\.\.?(?:\/|$)/.test(path)
            ? 'path'
            : known.has(key)
              ? 'double'
              : null
    if (problem !== null) problems.push({ lineNumber: at + 1, text: one, problem })
    else routes.push(route)
    known.add(key)
  }
  return { routes, problems }
}

export const formatAllowLines = (routes: readonly AllowedRoute[]): string =>
  routes.map(({ method, path }) => `${method} ${path}`).join('\n')
