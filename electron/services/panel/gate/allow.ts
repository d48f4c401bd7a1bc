import { templateOf } from '../../../../shared/bridge/capabilities.ts'
import type { AllowedRoute, AllowList } from '../../../../shared/panel/panel.ts'
import type { GatePath } from './path.ts'

/** Methods that a panel can use at all, whatever a list says. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Whether a list names this method and path. */
export function isAllowed(list: Pick<AllowList, 'mode' | 'host' | 'mine'>, method: string, path: GatePath): boolean {
  if (!methods.has(method)) return false
  if (list.mode === 'all') return true
  return list[list.mode].some((route) => isNamed(route, method, path))
}

/** The first route of a list that names this method and path; null if none does. */
export const namedBy = (routes: readonly AllowedRoute[], method: string, path: GatePath): AllowedRoute | null =>
  routes.find((route) => isNamed(route, method, path)) ?? null

function isNamed(route: AllowedRoute, method: string, { segments }: GatePath): boolean {
  return (route.method === '*' || route.method.toUpperCase() === method) && fits(route.path, segments)
}

/**
 * Whether segments are those of a template: placeholders and `*` stand for one segment each, a `*` or `**` at the end for one or more.
 * Anything else is text, compared letter for letter.
 */
function fits(template: string, segments: readonly string[]): boolean {
  const parts = templateOf(template).slice(1).split('/')
  const last = parts.at(-1)
  const isOpen = last === '**' || last === '*'
  if (isOpen ? segments.length < parts.length : segments.length !== parts.length) return false
  return parts.every((part, at) => isAny(part) || (at === parts.length - 1 && isOpen) || part === segments[at])
}

const isAny = (part: string): boolean => part === '*' || /^\{[^{}]*\}$/.test(part)
