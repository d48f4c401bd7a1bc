import { z } from 'zod'
import {
  compareCapabilities,
  getRouteQueryValues,
  getQueryNames,
  toRouteShape,
  toPathTemplate,
} from './capabilities.ts'
import type { BinaryShape, Endpoint, EndpointParameter } from './endpoints/endpoint.ts'
import { rowDefaults } from './endpoints/row-builders.ts'
import { findEndpointById, type EndpointId } from './endpoints/index.ts'
import { plainOutcome } from './endpoints/outcomes.ts'
import type { Capabilities, CapabilityRoute } from './resources/state.ts'

const PREFIX = 'listed '

/** Id of an endpoint of the table, or of a route that only the host lists. */
export type CommandId = EndpointId | ListedId
type ListedId = `${typeof PREFIX}${string}`

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
/** Each segment is literal or a placeholder, so the path cannot lead elsewhere. */
const safePath = /^(\/([\w.~-]+|\{[\w-]{1,40}\}))+$/
const MAX_ID_CHARS = 300
const MAX_NAME_CHARS = 100

type RouteList = Pick<Capabilities, 'routes'>

/** Names a route that is in the capabilities but not in the table; null if its path is invalid. */
export function toListedId({ method, path }: Pick<CapabilityRoute, 'method' | 'path'>): ListedId | null {
  const id: ListedId = `${PREFIX}${method.toUpperCase()} ${toPathTemplate(path)}`
  return createListedRow(id, []) && id
}

/** Returns the ids of routes that may change data and that the endpoint table lacks. */
export function getListedWriteIds(routes: readonly CapabilityRoute[]): readonly ListedId[] {
  const listed = { routes: [...routes] }
  const ids = new Set(compareCapabilities(listed).unknownRoutes.map(toListedId))
  return [...ids].filter((id) => id !== null).filter((id) => findEndpointRow(id, listed)?.access === 'write')
}

/**
 * Creates an endpoint from the name of a route alone. The contract does not say whether the route
 * requires `confirm`, so the body is sent unchanged. A GET reads, unless the host says that it
 * needs a subscription (observed-0.49: `requiresMax` tells whether a route writes, not the method).
 * @param routes the routes that the host lists under this name
 * @returns null if the id names no such route
 */
function createListedRow(id: string, routes: readonly CapabilityRoute[]): Endpoint | null {
  if (!id.startsWith(PREFIX) || id.length > MAX_ID_CHARS) return null
  const [verb, path = '', ...more] = id.slice(PREFIX.length).split(' ')
  const method = methods.find((candidate) => candidate === verb)
  if (!method || more.length > 0 || !safePath.test(path) || /\/\.\.?(\/|$)/.test(path)) return null
  const countsByName = new Map<string, number>()
  const uniquePath = path.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const count = (countsByName.get(name) ?? 0) + 1
    countsByName.set(name, count)
    return `{${count === 1 ? name : `${name}-${count}`}}`
  })
  const names = [...uniquePath.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)
  const pathParameters = names.map((name): EndpointParameter => ({
    name,
    in: 'path',
    type: 'string',
    required: true,
    description: '',
  }))
  const isRead = method === 'GET' && routes.every(({ requiresMax }) => requiresMax !== true)
  return {
    ...rowDefaults,
    id,
    method,
    path: uniquePath,
    tag: 'plugin',
    summary: `${method} ${path}`,
    parameters: [...pathParameters, ...createQueryParameters(routes, names)],
    acceptsAnyQuery: true,
    body: method === 'GET' ? null : z.looseObject({}),
    requiresMax: null,
    confirm: 'unknown',
    spec: 'capabilities of the host',
    ...(isRead ? readBehavior : writeBehavior),
  }
}

const ANY_CONTENT: BinaryShape = { kind: 'binary', media: ['any'], fileNameParts: [] }
/** A listed read may return any content, not only JSON. */
const readBehavior: ListedBehavior = { access: 'read', response: ANY_CONTENT, outcome: null }
const writeBehavior: ListedBehavior = {
  access: 'write',
  response: { kind: 'json', schema: z.unknown() },
  outcome: plainOutcome,
}
type ListedBehavior = Pick<Endpoint, 'access' | 'response' | 'outcome'>

function createQueryParameters(
  routes: readonly CapabilityRoute[],
  reservedNames: readonly string[],
): EndpointParameter[] {
  const valuesByName = new Map(routes.flatMap((route) => [...getRouteQueryValues(route)]))
  const names = new Set(routes.flatMap((route) => [...getQueryNames(route)]))
  return [...names]
    .filter((name) => name !== '' && name.length <= MAX_NAME_CHARS && !reservedNames.includes(name))
    .map((name) => {
      const value = valuesByName.get(name)
      const defaultMember = value === undefined ? {} : { default: value }
      return { name, in: 'query', type: 'string', required: false, description: '', ...defaultMember }
    })
}

/** Returns null if neither the endpoint table nor the capabilities have this id. */
export function findEndpointRow(id: string, capabilities: RouteList | null): Endpoint | null {
  const tableRow = findEndpointById(id)
  if (tableRow) return tableRow
  const templateRow = createListedRow(id, [])
  if (!templateRow || !capabilities) return null
  const shape = toRouteShape(templateRow.method, templateRow.path)
  const routes = capabilities.routes.filter(({ method, path }) => toRouteShape(method, path) === shape)
  return routes.length === 0 ? null : createListedRow(id, routes)
}

/** Accepts the id of any route that some host may have listed. */
export function findCommandRow(id: string): Endpoint | null {
  return findEndpointById(id) ?? createListedRow(id, [])
}
