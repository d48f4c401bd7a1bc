import { z } from 'zod'
import { compareCapabilities } from './capabilities.ts'
import { templateOf } from './listed-route.ts'
import type { Endpoint } from './endpoint.ts'
import { common } from './endpoints/define.ts'
import { endpointById, type EndpointId } from './endpoints/index.ts'
import { plain } from './endpoints/outcomes.ts'
import type { CapabilityRoute } from './resources/state.ts'

const PREFIX = 'listed '

/** The id of what can be called: a row of the table, or a route that a host lists. */
export type CommandId = EndpointId | ListedId
type ListedId = `${typeof PREFIX}${string}`

const methods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const
/** Segments of a path, each literal or a placeholder: nothing that could lead anywhere else. */
const safePath = /^(\/([\w.~-]+|\{[\w-]{1,40}\}))+$/

/** The id of a route that a host lists and the table lacks; null for reads, and for anything that is not a valid path. */
export function listedId({ method, path }: Pick<CapabilityRoute, 'method' | 'path'>): ListedId | null {
  if (path.includes('?')) return null
  const id: ListedId = `${PREFIX}${method.toUpperCase()} ${templateOf(path)}`
  return listedRow(id) && id
}

/** Ids of all routes of a host that the table lacks and that can be called; pure reads are left out. */
export function listedIds(routes: readonly CapabilityRoute[]): readonly ListedId[] {
  const ids = compareCapabilities({ routes: [...routes] }).unknown.map(listedId)
  return [...new Set(ids.filter((id) => id !== null))]
}

/**
 * The row of a route of which only the name is known: any JSON body, and whatever the host does with it. No document says whether it has
 * a confirm gate, so the body is sent unchanged. Null for ids that name no such route. Whether the connected host lists it is checked
 * elsewhere.
 */
function listedRow(id: string): Endpoint | null {
  if (!id.startsWith(PREFIX) || id.length > 300) return null
  const [verb, path = '', ...more] = id.slice(PREFIX.length).split(' ')
  const method = methods.find((one) => one === verb)
  if (!method || more.length > 0 || !safePath.test(path) || /\/\.\.?(\/|$)/.test(path)) return null
  const seen = new Map<string, number>()
  const named = path.replace(/\{([^}]*)\}/g, (_, name: string) => {
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return `{${count === 1 ? name : `${name}-${count}`}}`
  })
  const names = [...named.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)
  return {
    ...common,
    id,
    method,
    path: named,
    tag: 'plugin',
    summary: `${method} ${path}`,
    parameters: names.map((name) => ({ name, in: 'path', type: 'string', required: true, description: '' })),
    body: z.looseObject({}),
    response: { kind: 'json', schema: z.unknown() },
    access: 'write',
    requiresMax: null,
    confirm: 'unknown',
    outcome: plain,
    spec: 'capabilities of the host',
  }
}

/** A row of the table, or of a route that only a host's capabilities list. */
export const commandRow = (id: string): Endpoint | null => endpointById(id) ?? listedRow(id)
