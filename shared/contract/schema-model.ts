// The shape of JSON values as the program compares and exports it, whether the contract shows it or
// recorded responses did. The writers of JSON Schema, OpenAPI, TypeScript and Markdown read it.

import { z } from 'zod'
import { stringFormats, type StringFormat } from './string-traits.ts'

/** Who showed a type or a member. What both show comes from the contract. */
export const schemaSources = ['contract', 'recorded'] as const
export type SchemaSource = (typeof schemaSources)[number]

/** A number of responses; above a few dozen it is an estimate. */
export const responseCountSchema = z.strictObject({ count: z.number().int().nonnegative(), isExact: z.boolean() })
export type ResponseCount = z.infer<typeof responseCountSchema>

const spanSchema = z.strictObject({ min: z.number(), max: z.number() })
export type Span = z.infer<typeof spanSchema>

interface CommonFacts {
  readonly source: SchemaSource
  /** Responses in which the type occurred here; null if only the contract shows it. */
  readonly responses: ResponseCount | null
}

export interface NumberModel extends CommonFacts {
  readonly kind: 'number'
  readonly isInteger: boolean
  /** Documented limits; null if there is none. */
  readonly min: number | null
  readonly max: number | null
  /** The range of what was recorded, which promises nothing. */
  readonly observed: Span | null
}

export interface StringModel extends CommonFacts {
  readonly kind: 'string'
  readonly formats: readonly StringFormat[]
  /** All values that are known; null if any text is possible. */
  readonly values: readonly string[] | null
  /** Recorded words of the interface that are too rare for an enumeration. */
  readonly examples: readonly string[]
  readonly pattern: string | null
  /** Numbers of characters of what was recorded. */
  readonly observed: Span | null
}

export interface ListModel extends CommonFacts {
  readonly kind: 'list'
  readonly element: SchemaModel
  /** Some recorded list was longer than what was looked at. */
  readonly isSampled: boolean
  /** Numbers of elements of what was recorded. */
  readonly observed: Span | null
}

export interface MemberModel {
  readonly name: string
  readonly isRequired: boolean
  readonly source: SchemaSource
  readonly schema: SchemaModel
}

export interface ObjectModel extends CommonFacts {
  readonly kind: 'object'
  readonly members: readonly MemberModel[]
  /** The values of a dictionary's keys; null if the object is no dictionary. */
  readonly entries: SchemaModel | null
  /** The member and its value by which this shape is told from the other shapes. */
  readonly tag: { readonly member: string; readonly value: string } | null
  /** Some recorded object had more entries than were looked at. */
  readonly isSampled: boolean
}

interface BooleanModel extends CommonFacts {
  readonly kind: 'boolean'
  /** The only value; null if both are possible. */
  readonly value: boolean | null
}

interface NullModel extends CommonFacts {
  readonly kind: 'null'
}

/** All words that occurred, even if too rare for an enumeration; null if any text is possible. */
export const listKnownWords = ({ source, values, examples }: StringModel): readonly string[] | null =>
  values ?? (source === 'recorded' && examples.length > 0 ? examples : null)

/** Too deep or too large, so that nothing was kept of the members. */
export const isUnlooked = ({ isSampled, members, entries }: ObjectModel): boolean =>
  isSampled && members.length === 0 && entries === null

export type TypeModel = NullModel | BooleanModel | NumberModel | StringModel | ListModel | ObjectModel

/** A value has one of the types; without any, nothing is known about the value. */
export interface SchemaModel {
  readonly types: readonly TypeModel[]
}

export const openSchema: SchemaModel = { types: [] }

const schema: z.ZodType<SchemaModel> = z.lazy(() => schemaModelSchema)
const commonFacts = { source: z.enum(schemaSources), responses: responseCountSchema.nullable() }

const memberModelSchema = z.strictObject({
  name: z.string(),
  isRequired: z.boolean(),
  source: z.enum(schemaSources),
  schema,
})

const typeModelSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('null'), ...commonFacts }),
  z.strictObject({ kind: z.literal('boolean'), ...commonFacts, value: z.boolean().nullable() }),
  z.strictObject({
    kind: z.literal('number'),
    ...commonFacts,
    isInteger: z.boolean(),
    min: z.number().nullable(),
    max: z.number().nullable(),
    observed: spanSchema.nullable(),
  }),
  z.strictObject({
    kind: z.literal('string'),
    ...commonFacts,
    formats: z.array(z.enum(stringFormats)),
    values: z.array(z.string()).nullable(),
    examples: z.array(z.string()),
    pattern: z.string().nullable(),
    observed: spanSchema.nullable(),
  }),
  z.strictObject({
    kind: z.literal('list'),
    ...commonFacts,
    element: schema,
    isSampled: z.boolean(),
    observed: spanSchema.nullable(),
  }),
  z.strictObject({
    kind: z.literal('object'),
    ...commonFacts,
    members: z.array(memberModelSchema),
    entries: schema.nullable(),
    tag: z.strictObject({ member: z.string(), value: z.string() }).nullable(),
    isSampled: z.boolean(),
  }),
])

export const schemaModelSchema: z.ZodType<SchemaModel> = z.strictObject({ types: z.array(typeModelSchema) })
