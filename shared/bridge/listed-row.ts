import { z } from 'zod'
import { compareCapabilities, givenQuery, queryNames, routeShape, templateOf } from './capabilities.ts'
import type { BinaryShape, Endpoint, Parameter } from './endpoints/endpoint.ts'
import { common } from './endpoints/define.ts'
import { endpointById, type EndpointId } from './endpoints/index.ts'
import { plain } from './endpoints/outcomes.ts'
import type { Capabilities, CapabilityRoute } from './resources/state.ts'

const PREFIX = 'listed '

/** The id of what can be called: a row of the table, or a route that a host lists. */
export type CommandId = EndpointId | ListedId
type ListedId = `${typeof PREFIX}${string}`

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
/** Segments of a path, each literal or a placeholder: nothing that could lead anywhere else. */
const safePath = /^(\/([\w.~-]+|\{[\w-]{1,40}\}))+$/
/** Maximum length of an id, and of the name of a query parameter. */
const MOST_ID = 300
const MOST_NAME = 100

type Listed = Pick<Capabilities, 'routes'>

/** The id of a route that a host lists and the table lacks; null for anything that is not a valid path. */
export function listedId({ method, path }: Pick<CapabilityRoute, 'method' | 'path'>): ListedId | null {
  const id: ListedId = `${PREFIX}${method.toUpperCase()} ${templateOf(path)}`
  return listedRow(id, []) && id
}

/** Ids of all routes of a host that the table lacks and that may change something. */
export function listedIds(routes: readonly CapabilityRoute[]): readonly ListedId[] {
  const listed = { routes: [...routes] }
  const ids = new Set(compareCapabilities(listed).unknown.map(listedId))
  return [...ids].filter((id) => id !== null).filter((id) => rowIn(id, listed)?.access === 'write')
}

/**
 * The row of a route of which only the name is known: any query, any JSON body, and whatever the host does with it. No document says
 * whether it has a confirm gate, so the body is sent unchanged. A GET reads, unless the host says that it needs a subscription
 * (observed-0.49: `requiresMax` tells whether a route writes, not the verb). Null for ids that name no such route. `routes` are those that
 * the host lists under this name.
 */
function listedRow(id: string, routes: readonly CapabilityRoute[]): Endpoint | null {
  if (!id.startsWith(PREFIX) || id.length > MOST_ID) return null
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
  const inPath = names.map((name): Parameter => ({ name, in: 'path', type: 'string', required: true, description: '' }))
  const reads = method === 'GET' && routes.every(({ requiresMax }) => requiresMax !== true)
  return {
    ...common,
    id,
    method,
    path: named,
    tag: 'plugin',
    summary: `${method} ${path}`,
    parameters: [...inPath, ...inQuery(routes, names)],
    anyQuery: true,
    body: method === 'GET' ? null : z.looseObject({}),
    requiresMax: null,
    confirm: 'unknown',
    spec: 'capabilities of the host',
    ...(reads ? asRead : asWrite),
  }
}

const anything: BinaryShape = { kind: 'binary', media: ['any'], name: [] }
/** Nobody promises that a read returns JSON. */
const asRead: Answering = { access: 'read', response: anything, outcome: null }
const asWrite: Answering = { access: 'write', response: { kind: 'json', schema: z.unknown() }, outcome: plain }
type Answering = Pick<Endpoint, 'access' | 'response' | 'outcome'>

/** The parameters that the host names for the query, with the values that stand in a listed path. */
function inQuery(routes: readonly CapabilityRoute[], taken: readonly string[]): Parameter[] {
  const given = new Map(routes.flatMap((route) => [...givenQuery(route)]))
  const names = new Set(routes.flatMap((route) => [...queryNames(route)]))
  return [...names]
    .filter((name) => name !== '' && name.length <= MOST_NAME && !taken.includes(name))
    .map((name) => {
      const value = given.get(name)
      const own = value === undefined ? {} : { default: value }
      return { name, in: 'query', type: 'string', required: false, description: '', ...own }
    })
}

/**
 * A row of the table, or of a route that only these capabilities list, with the query parameters that they name. Null if it is neither, or
 * if there are no capabilities.
 */
export function rowIn(id: string, capabilities: Listed | null): Endpoint | null {
  const known = endpointById(id)
  if (known) return known
  const bare = listedRow(id, [])
  if (!bare || !capabilities) return null
  const shape = routeShape(bare.method, bare.path)
  const routes = capabilities.routes.filter(({ method, path }) => routeShape(method, path) === shape)
  return routes.length === 0 ? null : listedRow(id, routes)
}

/** A row of the table, or of a route that some host may have listed once. */
export const commandRow = (id: string): Endpoint | null => endpointById(id) ?? listedRow(id, [])
