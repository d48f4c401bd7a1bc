import { createContractBundle } from '../../../shared/contract/contract-schemas.ts'
import type { LearnedShape } from './learned-shape.ts'
import { toRecordedSchema } from './recorded-schemas.ts'
import { countResponses, createSketch, mergeSketch, type ResponseSketch } from './response-sketch.ts'
import {
  listMembers,
  listTypes,
  toSchema,
  type JsonSchema,
  type TypeSchema,
} from '../../../shared/contract/json-schema.ts'
import { toRouteKey, type RouteSchema, type SchemaBundle } from '../../../shared/contract/route-schema.ts'
import { combineSchemas } from './schema-union.ts'

export interface LearnedRouteShapes {
  readonly method: string
  readonly template: string
  /** Id of the endpoint; null if the contract has no such route. */
  readonly endpoint: string | null
  /** Null if no such response was recorded. */
  readonly success: LearnedShape | null
  readonly error: LearnedShape | null
  readonly hosts: string[]
  readonly versions: string[]
}

/** All responses that a shape was learned from, whatever their types are. */
export function collectResponses(shape: LearnedShape): ResponseSketch {
  const responses = createSketch()
  if (shape.null) mergeSketch(responses, shape.null)
  for (const type of [shape.boolean, shape.number, shape.string, shape.list, shape.object]) {
    if (type) mergeSketch(responses, type.responses)
  }
  return responses
}

/** Describes what was learned of a route; requests to it were not observed. */
export function toRecordedRoute({
  method,
  template,
  endpoint,
  success,
  error,
  hosts,
  versions,
}: LearnedRouteShapes): RouteSchema {
  const contractRoute = getContractRoutes().get(`${method} ${template}`)
  return {
    method,
    template,
    endpoint,
    tag: contractRoute?.tag ?? '',
    isRecorded: true,
    summary: contractRoute?.summary ?? '',
    facts: [],
    parameters: [],
    acceptsAnyQuery: true,
    body: null,
    isUpload: contractRoute?.isUpload ?? false,
    needsToken: contractRoute?.needsToken ?? true,
    mediaTypes: contractRoute?.mediaTypes ?? ['application/json'],
    statuses: contractRoute?.statuses ?? [],
    refusalStatuses: [],
    response: success && toRecordedSchema(success),
    unnamedList: null,
    error: error && toRecordedSchema(error),
    errorCodes: [],
    responses: success && countResponses(collectResponses(success)),
    hosts,
    versions,
  }
}

/** A route that the contract does not have and that only ever failed may not exist. */
const isKnown = ({ endpoint, response }: RouteSchema): boolean => endpoint !== null || response !== null

/** Describes only what was recorded. */
export function createRecordedBundle(routes: readonly RouteSchema[], title: string): SchemaBundle {
  return {
    title,
    isPartial: true,
    routes: routes.filter(isKnown),
  }
}

/** Describes the contract, completed by what was recorded. */
export function createCombinedBundle(recorded: readonly RouteSchema[], title: string): SchemaBundle {
  const contract = createContractBundle()
  const recordedByKey = new Map(recorded.filter(isKnown).map((route) => [toRouteKey(route), route]))
  const combined = contract.routes.map((route): RouteSchema => {
    const observed = recordedByKey.get(toRouteKey(route))
    recordedByKey.delete(toRouteKey(route))
    if (!observed) return route
    const { responses, error, hosts, versions } = observed
    const response = route.response && observed.response ? combineResponses(route, observed.response) : route.response
    return { ...route, response, error, responses, hosts, versions }
  })
  return { title, isPartial: false, routes: [...combined, ...recordedByKey.values()] }
}

/** A list that the contract leaves unnamed is the only unknown one, or the response itself. */
function combineResponses({ response, unnamedList }: RouteSchema, recorded: JsonSchema): JsonSchema {
  const combined = combineSchemas(response ?? {}, recorded)
  if (!unnamedList) return combined
  const types = listTypes(combined).map((type): TypeSchema => {
    if (isObjectList(type)) return { ...type, ...combineSchemas(unnamedList, type), type: 'array' }
    const [list, ...others] = listMembers(type).filter(({ name, schema }) => {
      const member = listTypes(schema)
      return response?.properties?.[name] === undefined && member.length === 1 && member.every(isObjectList)
    })
    if (!list || others.length > 0) return type
    return { ...type, properties: { ...type.properties, [list.name]: combineSchemas(unnamedList, list.schema) } }
  })
  return toSchema(types)
}

const isObjectList = ({ type, items = {} }: TypeSchema): boolean =>
  type === 'array' && listTypes(items).some((element) => element.type === 'object')

let contractRoutes: ReadonlyMap<string, RouteSchema> | null = null
function getContractRoutes(): ReadonlyMap<string, RouteSchema> {
  contractRoutes ??= new Map(createContractBundle().routes.map((route) => [toRouteKey(route), route]))
  return contractRoutes
}
