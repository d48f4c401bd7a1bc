import { z } from 'zod'
import { isObject } from '../json/object.ts'
import { parsePointer } from '../json/pointer.ts'
import { routeSchemaSchema, type RouteSchema, type SchemaBundle } from './route-schema.ts'
import {
  openSchema,
  responseCountSchema,
  type ResponseCount,
  type SchemaModel,
  type TypeModel,
} from './schema-model.ts'
import { stringFormats } from './string-traits.ts'

/** Deeper schemas are read as if nothing was known, because a file may be anything. */
const MAX_DEPTH = 100

const reference = z.looseObject({ $ref: z.string() }).nullable()
const fileSchema = z.looseObject({
  title: z.string().catch(''),
  'x-isPartial': z.boolean(),
  'x-routes': z.array(
    z.looseObject({
      ...routeSchemaSchema.shape,
      parameters: z.array(z.looseObject({ schema: z.unknown() })),
      ...{ body: reference, response: reference, error: reference },
    }),
  ),
  $defs: z.record(z.string(), z.unknown()),
})

/**
 * Reads what `writeJsonSchemaBundle` wrote.
 * @returns null if it is something else
 */
export function parseJsonSchemaBundle(text: string): SchemaBundle | null {
  try {
    const file = fileSchema.parse(JSON.parse(text))
    const toDefinition = (entry: { readonly $ref: string } | null): SchemaModel | null => {
      if (entry === null) return null
      const [, name = ''] = parsePointer(decodeURI(entry.$ref).replace(/^#/, ''))
      return fromJsonSchema(Object.hasOwn(file.$defs, name) ? file.$defs[name] : undefined)
    }
    return {
      title: file.title,
      isPartial: file['x-isPartial'],
      routes: file['x-routes'].map((route): RouteSchema =>
        routeSchemaSchema.parse({
          ...route,
          parameters: route.parameters.map((parameter) => ({
            ...parameter,
            schema: fromJsonSchema(parameter.schema),
          })),
          body: toDefinition(route.body),
          response: toDefinition(route.response),
          error: toDefinition(route.error),
        }),
      ),
    }
  } catch {
    return null
  }
}

/** Reads the keywords that the writer uses; others are left out. */
export function fromJsonSchema(json: unknown, depth = 0): SchemaModel {
  if (!isObject(json) || depth > MAX_DEPTH) return openSchema
  const { anyOf } = json
  if (Array.isArray(anyOf)) return { types: anyOf.flatMap((option) => fromJsonSchema(option, depth + 1).types) }
  const type = toTypeModel(json, depth)
  return type ? { types: [type] } : openSchema
}

function toTypeModel(json: Readonly<Record<string, unknown>>, depth: number): TypeModel | null {
  const recorded = isObject(json['x-recorded']) ? json['x-recorded'] : {}
  const facts = {
    source: json['x-source'] === 'recorded' ? ('recorded' as const) : ('contract' as const),
    responses: toResponseCount(recorded),
  }
  const isSampled = recorded['isSampled'] === true
  switch (json['type']) {
    case 'null':
      return { kind: 'null', ...facts }
    case 'boolean':
      return { kind: 'boolean', ...facts, value: typeof json['const'] === 'boolean' ? json['const'] : null }
    case 'integer':
    case 'number':
      return {
        ...{ kind: 'number', ...facts, isInteger: json['type'] === 'integer' },
        ...{ min: toNumber(json['minimum']), max: toNumber(json['maximum']) },
        observed: toSpan(recorded['minimum'], recorded['maximum']),
      }
    case 'string': {
      const formats = Array.isArray(json['x-formats']) ? json['x-formats'] : []
      const hasFormat = formats.length > 0
      return {
        ...{ kind: 'string', ...facts, values: toTexts(json['enum']), examples: toTexts(json['examples']) ?? [] },
        formats: stringFormats.filter((format) => formats.includes(format)),
        pattern: !hasFormat && typeof json['pattern'] === 'string' ? json['pattern'] : null,
        observed: toSpan(recorded['minLength'], recorded['maxLength']),
      }
    }
    case 'array':
      return {
        ...{ kind: 'list', ...facts, isSampled, element: fromJsonSchema(json['items'], depth + 1) },
        observed: toSpan(recorded['minItems'], recorded['maxItems']),
      }
    case 'object':
      return { ...facts, isSampled, ...toObjectFacts(json, depth) }
    default:
      return null
  }
}

function toObjectFacts(
  json: Readonly<Record<string, unknown>>,
  depth: number,
): Pick<Extract<TypeModel, { kind: 'object' }>, 'kind' | 'members' | 'entries' | 'tag'> {
  const properties = isObject(json['properties']) ? json['properties'] : {}
  const required = toTexts(json['required']) ?? []
  const { 'x-tag': tag, additionalProperties: entries } = json
  const hasTag = isObject(tag) && typeof tag['member'] === 'string' && typeof tag['value'] === 'string'
  return {
    kind: 'object',
    members: Object.entries(properties).map(([name, schema]) => ({
      ...{ name, isRequired: required.includes(name), schema: fromJsonSchema(schema, depth + 1) },
      source: isObject(schema) && schema['x-source'] === 'recorded' ? 'recorded' : 'contract',
    })),
    entries: isObject(entries) ? fromJsonSchema(entries, depth + 1) : null,
    tag: hasTag ? { member: String(tag['member']), value: String(tag['value']) } : null,
  }
}

function toResponseCount({ responses, isEstimate }: Readonly<Record<string, unknown>>): ResponseCount | null {
  return responseCountSchema.safeParse({ count: responses, isExact: isEstimate !== true }).data ?? null
}

const toNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const toTexts = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter((text) => typeof text === 'string') : null
const toSpan = (min: unknown, max: unknown): { min: number; max: number } | null =>
  typeof min === 'number' && typeof max === 'number' ? { min, max } : null
