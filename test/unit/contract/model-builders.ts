import type { RouteSchema, SchemaBundle } from '../../../shared/contract/route-schema.ts'
import { listTypes, toSchema, type JsonScalar, type JsonSchema } from '../../../shared/contract/json-schema.ts'

export const any: JsonSchema = {}
export const nil: JsonSchema = { type: 'null' }

export const text = (more: JsonSchema = {}): JsonSchema => ({ type: 'string', ...more })
export const word = (...values: readonly JsonScalar[]): JsonSchema => ({ type: 'string', enum: values })

export const number = (more: JsonSchema = {}): JsonSchema => ({ type: 'number', ...more })
export const integer = (min: number | null = null, max: number | null = null): JsonSchema => ({
  type: 'integer',
  ...(min === null ? {} : { minimum: min }),
  ...(max === null ? {} : { maximum: max }),
})

export const flag = (value: boolean | null = null): JsonSchema => ({
  type: 'boolean',
  ...(value === null ? {} : { const: value }),
})

export const list = (items: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: 'array', items, ...more })

/** A name that ends with a question mark is that of an optional member. */
export function object(members: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema {
  const entries = Object.entries(members).map(([name, schema]) => [name.replace(/\?$/, ''), schema])
  const required = Object.keys(members).filter((name) => !name.endsWith('?'))
  return { type: 'object', properties: Object.fromEntries(entries) as JsonSchema['properties'] & {}, required, ...more }
}
export const dictionary = (entries: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: entries })

export const union = (...options: readonly JsonSchema[]): JsonSchema => toSchema(options.flatMap(listTypes))

export const route = (more: Partial<RouteSchema> = {}): RouteSchema => ({
  method: 'GET',
  template: '/cards',
  endpoint: null,
  tag: '',
  isRecorded: false,
  summary: '',
  facts: [],
  parameters: [],
  acceptsAnyQuery: false,
  body: null,
  isUpload: false,
  needsToken: true,
  mediaTypes: ['application/json'],
  statuses: [],
  refusalStatuses: [],
  response: null,
  unnamedList: null,
  error: null,
  errorCodes: [],
  responses: null,
  hosts: [],
  versions: [],
  ...more,
})

export const bundle = (...routes: readonly RouteSchema[]): SchemaBundle => ({ title: '', isPartial: false, routes })
