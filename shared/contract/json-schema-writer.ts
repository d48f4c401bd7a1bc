import { toPointerStep } from '../json/pointer.ts'
import { toRouteKey, type RouteSchema, type SchemaBundle } from './route-schema.ts'
import type { NumberModel, ObjectModel, SchemaModel, StringModel, TypeModel } from './schema-model.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export interface WriterOptions {
  /** Writes recorded words of the interface that are too rare for an enumeration. */
  readonly hasExamples: boolean
}

export const JSON_SCHEMA_DIALECT = 'https://json-schema.org/draft/2020-12/schema'
/** Stands in every exported description. */
export const SAMPLE_NOTE =
  'What has an x-source of recorded was seen in a sample of responses: its required members, enumerations and formats are no promise of the host.'
/** Patterns of formats that JSON Schema does not know. */
const formatPatterns: Readonly<Partial<Record<string, string>>> = {
  md5: '^[0-9A-Fa-f]{32}$',
  integer: '^-?[0-9]+$',
  color: '^#[0-9A-Fa-f]{3,8}$',
}
const STANDARD_FORMATS: ReadonlySet<string> = new Set(['date-time', 'date', 'uuid', 'uri'])

/**
 * Writes a schema as JSON Schema 2020-12. Members beginning with `x-` tell what was recorded, which
 * limits nothing: a number in `x-recorded` is no limit of the host.
 */
export function toJsonSchema({ types }: SchemaModel, options: WriterOptions): JsonSchema {
  const [first, ...others] = types.map((type) => toTypeSchema(type, options))
  if (!first) return {}
  return others.length === 0 ? first : { anyOf: [first, ...others] }
}

function toTypeSchema(type: TypeModel, options: WriterOptions): JsonSchema {
  switch (type.kind) {
    case 'null':
      return { type: 'null', ...toRecordedFacts(type) }
    case 'boolean': {
      // That only one value was recorded does not exclude the other.
      const isConstant = type.value !== null && type.source === 'contract'
      return { type: 'boolean', ...(isConstant ? { const: type.value } : {}), ...toRecordedFacts(type) }
    }
    case 'number':
      return toNumberSchema(type)
    case 'string':
      return toStringSchema(type, options)
    case 'list':
      return {
        type: 'array',
        ...(type.element.types.length > 0 ? { items: toJsonSchema(type.element, options) } : {}),
        ...toRecordedFacts(type, { ...toSpan(type.observed, 'Items'), ...toSampled(type.isSampled) }),
      }
    case 'object':
      return toObjectSchema(type, options)
  }
}

function toNumberSchema(type: NumberModel): JsonSchema {
  return {
    type: type.isInteger ? 'integer' : 'number',
    ...(type.min === null ? {} : { minimum: type.min }),
    ...(type.max === null ? {} : { maximum: type.max }),
    ...toRecordedFacts(type, type.observed ? { minimum: type.observed.min, maximum: type.observed.max } : {}),
  }
}

function toStringSchema(type: StringModel, { hasExamples }: WriterOptions): JsonSchema {
  const { formats, values, pattern, examples } = type
  const format = formats.find((name) => STANDARD_FORMATS.has(name))
  const formatPattern = formats.map((name) => formatPatterns[name]).find((text) => text !== undefined)
  const exportedPattern = pattern ?? formatPattern
  return {
    type: 'string',
    ...(values ? { enum: values } : {}),
    ...(format === undefined ? {} : { format }),
    ...(exportedPattern === undefined || values ? {} : { pattern: exportedPattern }),
    ...(formats.includes('base64') ? { contentEncoding: 'base64' } : {}),
    ...(formats.length > 0 ? { 'x-formats': formats } : {}),
    ...(hasExamples && examples.length > 0 ? { examples } : {}),
    ...toRecordedFacts(type, toSpan(type.observed, 'Length')),
  }
}

function toObjectSchema(type: ObjectModel, options: WriterOptions): JsonSchema {
  const { members, entries, tag, isSampled } = type
  const required = members.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: 'object',
    ...(members.length > 0 ? { properties: toProperties(members, options) } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(entries ? { additionalProperties: toJsonSchema(entries, options) } : {}),
    ...(tag ? { 'x-tag': tag } : {}),
    ...toRecordedFacts(type, toSampled(isSampled)),
  }
}

/** Also holds a member named `__proto__`, which an assignment would lose. */
const toProperties = (members: ObjectModel['members'], options: WriterOptions): JsonSchema =>
  Object.fromEntries(
    members.map(({ name, schema, source }) => {
      const json = toJsonSchema(schema, options)
      return [name, source === 'recorded' ? { ...json, 'x-source': 'recorded' } : json]
    }),
  )

function toRecordedFacts({ source, responses }: TypeModel, facts: JsonSchema = {}): JsonSchema {
  const count = responses && { responses: responses.count, ...(responses.isExact ? {} : { isEstimate: true }) }
  const recorded = { ...count, ...(responses ? facts : {}) }
  return {
    ...(source === 'recorded' ? { 'x-source': source } : {}),
    ...(count ? { 'x-recorded': recorded } : {}),
  }
}

const toSpan = (span: { min: number; max: number } | null, name: 'Items' | 'Length'): JsonSchema =>
  span ? { [`min${name}`]: span.min, [`max${name}`]: span.max } : {}

const toSampled = (isSampled: boolean): JsonSchema => (isSampled ? { isSampled: true } : {})

/** Writes all routes as one document that `parseJsonSchemaBundle` reads. */
export function writeJsonSchemaBundle({ title, isPartial, routes }: SchemaBundle, options: WriterOptions): string {
  const definitions = new Map<string, JsonSchema>()
  const define = (route: RouteSchema, part: string, schema: SchemaModel | null): JsonSchema | null => {
    if (schema === null) return null
    const name = `${toRouteKey(route)} ${part}`
    definitions.set(name, toJsonSchema(schema, options))
    return { $ref: `#/$defs${encodeURI(toPointerStep(name))}` }
  }
  const entries = routes.map((route) => ({
    ...route,
    parameters: route.parameters.map(({ schema, ...parameter }) => ({
      ...parameter,
      schema: toJsonSchema(schema, options),
    })),
    body: define(route, 'body', route.body),
    response: define(route, 'response', route.response),
    error: define(route, 'error', route.error),
  }))
  const bundle = {
    $schema: JSON_SCHEMA_DIALECT,
    $id: 'urn:bridge-inspector:schemas',
    title,
    description: `Each definition is the body, the response or the error of a route. Members beginning with x- tell what was recorded. ${SAMPLE_NOTE}`,
    'x-isPartial': isPartial,
    'x-routes': entries,
    $defs: Object.fromEntries(definitions),
  }
  return `${JSON.stringify(bundle, null, 2)}\n`
}
