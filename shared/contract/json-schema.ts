// JSON Schema 2020-12 in the part in which the program describes, compares and exports the shapes
// of JSON values. Members beginning with `x-` tell what was recorded, and limit nothing.

import { z } from 'zod'
import type { Basis } from '../bridge/basis.ts'
import { isObject } from '../json/object.ts'
import { stringFormats } from './string-traits.ts'

export const JSON_SCHEMA_DIALECT = 'https://json-schema.org/draft/2020-12/schema'

export const jsonTypes = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const
export type JsonType = (typeof jsonTypes)[number]
export type JsonScalar = null | boolean | number | string

/** A number of responses; above a few dozen it is an estimate. */
export const responseCountSchema = z.strictObject({ count: z.number().int().nonnegative(), isExact: z.boolean() })
export type ResponseCount = z.infer<typeof responseCountSchema>

const spanSchema = z.strictObject({ min: z.number(), max: z.number() })
export type Span = z.infer<typeof spanSchema>

const recordedFactsSchema = z.strictObject({
  /** Responses in which the type occurred at this place. */
  responses: z.number().int().nonnegative(),
  isEstimate: z.literal(true).optional(),
  /** Some recorded list or object was longer than what was looked at. */
  isSampled: z.literal(true).optional(),
  /** The range of numbers, or of numbers of characters or elements. */
  range: spanSchema.optional(),
  /** Words of the interface that are too rare for an enumeration. */
  words: z.array(z.string()).optional(),
})

/** Keywords of this program, beside those of JSON Schema. */
export const recordedKeywords = {
  /** Only recorded responses show it. */
  'x-source': z.literal('recorded').optional(),
  'x-recorded': recordedFactsSchema.optional(),
  /** All formats that every recorded text had. */
  'x-formats': z.array(z.enum(stringFormats)).optional(),
  /** The member and its value by which this shape is told from the other shapes. */
  'x-tag': z.strictObject({ member: z.string(), value: z.string() }).optional(),
}
type RecordedKeywords = Readonly<z.infer<z.ZodObject<typeof recordedKeywords>>>

/** Keywords that hold only for one type; all but the first three limit it. */
interface TypeKeywords extends RecordedKeywords {
  /** Basis of what is said about a member or parameter; absent if the spec shows it. */
  readonly 'x-basis'?: Basis
  /** A host of version 0.49 was seen to send it always; the spec does not require it. */
  readonly 'x-presence'?: 'observed'
  /** Other names of a member, under which the program reads it, too. */
  readonly 'x-names'?: readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly enum?: readonly JsonScalar[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly format?: string
  readonly pattern?: string
  readonly contentEncoding?: string
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | false
}

/** A schema of which nothing is known is empty. */
export interface JsonSchema extends TypeKeywords {
  readonly type?: JsonType | readonly JsonType[]
  readonly const?: JsonScalar
  readonly anyOf?: readonly JsonSchema[]
}

/** A schema of values of one JSON type. */
export interface TypeSchema extends TypeKeywords {
  readonly type: JsonType
}

export const jsonSchemaSchema = z.custom<JsonSchema>(isObject)

/** Whole numbers are numbers. */
export function kindOf({ type }: TypeSchema): Exclude<JsonType, 'integer'> {
  return type === 'integer' ? 'number' : type
}

const getScalarType = (value: JsonScalar): JsonType =>
  value === null ? 'null' : typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'string'

export function omitKeywords<Keywords extends object, Name extends keyof Keywords>(
  keywords: Keywords,
  ...names: readonly Name[]
): Omit<Keywords, Name> {
  return Object.fromEntries(
    Object.entries(keywords).filter(([name]) => !(names as readonly string[]).includes(name)),
  ) as Omit<Keywords, Name>
}

/** Lists the types that a value may have; none if nothing is known about it. */
export function listTypes({ anyOf, const: constant, type: declared, ...keywords }: JsonSchema): readonly TypeSchema[] {
  if (anyOf) {
    const options = anyOf.map(listTypes)
    return options.some(({ length }) => length === 0) ? [] : options.flat()
  }
  const types = declared === undefined ? [] : [declared].flat()
  const values = keywords.enum ?? (constant === undefined ? null : [constant])
  if (values === null) return types.map((type) => ({ ...keywords, type }))
  const others = omitKeywords(keywords, 'enum')
  return [...new Set(values.map(getScalarType))].flatMap((type): readonly TypeSchema[] => {
    const valuesOfType = values.filter((value) => getScalarType(value) === type)
    const isInteger = type === 'number' && valuesOfType.every(Number.isInteger)
    if (types.length > 0 && !types.includes(type) && !(isInteger && types.includes('integer'))) return []
    if (type === 'null' || (type === 'boolean' && valuesOfType.length > 1)) return [{ ...others, type }]
    return [{ ...others, type: isInteger ? 'integer' : type, enum: valuesOfType }]
  })
}

/** The opposite of `listTypes`. */
export function toSchema(types: readonly TypeSchema[]): JsonSchema {
  const [first = {}, ...others] = types
  return others.length === 0 ? first : { anyOf: types }
}

export function isRecorded(schema: JsonSchema): boolean {
  const types = listTypes(schema)
  return (
    schema['x-source'] === 'recorded' || (types.length > 0 && types.every((type) => type['x-source'] === 'recorded'))
  )
}

export function isSampled({ 'x-recorded': recorded }: TypeSchema): boolean {
  return recorded?.isSampled === true
}

/** Responses in which the type occurred; null if only the contract shows it. */
export function getResponseCount({ 'x-recorded': recorded }: TypeSchema): ResponseCount | null {
  return recorded ? { count: recorded.responses, isExact: recorded.isEstimate !== true } : null
}

export interface Member {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: JsonSchema
}

export function listMembers({ properties = {}, required = [] }: TypeSchema): readonly Member[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, isRequired: required.includes(name), schema }))
}

/** Also keeps a member named `__proto__`, which an assignment would lose. */
export function toMembers(members: readonly Member[]): Pick<TypeSchema, 'properties' | 'required'> {
  const required = members.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    ...(members.length > 0
      ? { properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])) }
      : {}),
    ...(required.length > 0 ? { required } : {}),
  }
}

/** The schema of the values of a dictionary; null if the object is none. */
export function getEntries({ additionalProperties }: TypeSchema): JsonSchema | null {
  return additionalProperties || null
}

export function isDictionary(type: TypeSchema): boolean {
  return getEntries(type) !== null && Object.keys(type.properties ?? {}).length === 0
}

/** Too deep or too large, so that nothing was kept of the members. */
export function isUnlooked(type: TypeSchema): boolean {
  return isSampled(type) && listMembers(type).length === 0 && getEntries(type) === null
}

export function listFormats(type: TypeSchema): readonly string[] {
  return type['x-formats'] ?? (type.format === undefined ? [] : [type.format])
}

/** All values that are known, even if too rare for an enumeration; null if any is possible. */
export function listKnownValues({ enum: values, 'x-source': source, 'x-recorded': recorded }: TypeSchema) {
  return values ?? (source === 'recorded' ? (recorded?.words ?? null) : null)
}

/** Changes a schema and every schema in it, the inner ones first. */
export function mapSchemas(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const toMapped = (inner: JsonSchema): JsonSchema => mapSchemas(inner, change)
  const { anyOf, items, properties, additionalProperties: entries } = schema
  return change({
    ...schema,
    ...(anyOf ? { anyOf: anyOf.map(toMapped) } : {}),
    ...(items ? { items: toMapped(items) } : {}),
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, toMapped(inner)])) }
      : {}),
    ...(entries ? { additionalProperties: toMapped(entries) } : {}),
  })
}
