import { z } from 'zod'
import type { Basis } from '../basis.ts'
import { getShapeVariants, type ShapeVariants } from './shape-variants.ts'

interface Range {
  readonly min: number
  readonly max: number
}
const ranges = new WeakMap<z.ZodType, Range>()

/** Hosts were observed to keep the range. A number outside it is accepted. */
export function createRangedNumber(min: number, max: number): z.ZodNumber {
  const schema = z.number()
  ranges.set(schema, { min, max })
  return schema
}

/** What spec-0.91 says about members; all else in the schema comes from an observed host. */
interface MemberStatements<Name extends string = string> {
  /** The spec shows these members in every response, or requires them in every body. */
  readonly always?: readonly Name[]
  /** The spec shows these members with their types, but not in every response. */
  readonly sometimes?: readonly Name[]
  /** The spec names these members, which it may also show always, without a type. */
  readonly untyped?: readonly Name[]
  /** Hosts were observed to send these members always, although the reader can do without them. */
  readonly usually?: readonly Name[]
}
const statementsBySchema = new WeakMap<z.ZodType, MemberStatements>()
const tables = new WeakSet<z.ZodType>()

type MemberName<S extends z.ZodObject> = keyof S['shape'] & string

/** Says which members of an object the spec states. */
export function declareMembers<S extends z.ZodObject>(schema: S, statements: MemberStatements<MemberName<S>>): S {
  statementsBySchema.set(schema, statements)
  return schema
}

/** The spec shows a table of members: each is in every response, unless it is named here. */
export function declareTable<S extends z.ZodObject>(
  schema: S,
  exceptions: Omit<MemberStatements<MemberName<S>>, 'always'> = {},
): S {
  const { sometimes = [], usually = [] } = exceptions
  const others: readonly string[] = [...sometimes, ...usually]
  const always = Object.keys(schema.shape).filter((name) => !others.includes(name))
  statementsBySchema.set(schema, { ...exceptions, always })
  tables.add(schema)
  return schema
}

const counts = new WeakSet<z.ZodType>()

/** Creates a schema for a count, a depth or an index: other numbers than 0, 1, 2… are accepted. */
export function createCount(): z.ZodNumber {
  const schema = z.number()
  counts.add(schema)
  return schema
}

type KnownValue = string | number | boolean | null
interface KnownValues {
  readonly values: readonly KnownValue[]
  readonly basis: Basis
}
const knownValues = new WeakMap<z.ZodType, KnownValues>()

interface TextFormat {
  /** The contract's spelling: `#RRGGBB`. */
  readonly name: string
  readonly pattern: RegExp
}
const formats = new WeakMap<z.ZodType, TextFormat>()

/** Creates a schema for a text with a format. A text without it is accepted. */
export function createFormattedText(name: string, pattern: RegExp): z.ZodString {
  const schema = z.string()
  formats.set(schema, { name, pattern })
  return schema
}

/** Marks a value for which the spec gives observed values, which are examples and no set. */
export function markExamples<S extends z.ZodType>(schema: S, ...values: readonly KnownValue[]): S {
  knownValues.set(schema, { values, basis: 'open' })
  return schema
}

/** Marks a value of which the observed host has documented all values. Others are accepted. */
export function markObservedValues<S extends z.ZodType>(schema: S, ...values: readonly KnownValue[]): S {
  knownValues.set(schema, { values, basis: 'observed' })
  return schema
}

export interface MemberPlan {
  readonly name: string
  readonly plan: SchemaPlan
  /** The reader can do without it. Nothing follows from this about the contract. */
  readonly isOptional: boolean
  /** Basis of the statement that the member is always sent; `open` if it may be absent. */
  readonly presence: Basis
  /** Basis of the statement that the member has the type of the schema. */
  readonly type: Basis
}

/** A form that is fast to walk, cached because long lists are checked against it. */
export type SchemaPlan = {
  readonly schema: z.ZodType
  /** JSON types that the schema accepts: `string`, `number | null`. */
  readonly expected: string
  /** A value that passes may have problems: a nested member is always sent, or has other names. */
  readonly needsWalk: boolean
} & (
  | { readonly kind: 'optional'; readonly inner: SchemaPlan }
  | { readonly kind: 'nullable'; readonly inner: SchemaPlan }
  | { readonly kind: 'list'; readonly element: SchemaPlan }
  | {
      readonly kind: 'object'
      readonly members: readonly MemberPlan[]
      readonly variants: ShapeVariants
      /** The spec shows the object as a table, so that its statements are exact. */
      readonly isTable: boolean
      /** `spec` if the spec shows at least one of its members. */
      readonly basis: Basis
    }
  | { readonly kind: 'union'; readonly options: readonly SchemaPlan[] }
  | {
      readonly kind: 'leaf'
      readonly accepts: (value: unknown) => boolean
      /** Its basis is always `observed`. */
      readonly range: Range | null
      /** The contract counts something, so that only whole numbers from 0 make sense. */
      readonly isCount: boolean
      readonly knownValues: KnownValues | null
      readonly format: TextFormat | null
    }
)

/** Basis of the statement that a whole response, or an entry of its list, has its type. */
export function getPlanBasis(plan: SchemaPlan): Basis {
  if (plan.kind === 'object') return plan.basis
  return plan.kind === 'list' ? getPlanBasis(plan.element) : 'observed'
}

const plans = new WeakMap<z.ZodType, SchemaPlan>()

export function getSchemaPlan(schema: z.core.$ZodType): SchemaPlan {
  if (!(schema instanceof z.ZodType)) throw new Error('a schema that was not made with zod')
  const cached = plans.get(schema)
  if (cached) return cached
  const plan = createPlan(schema)
  plans.set(schema, plan)
  return plan
}

function createPlan(schema: z.ZodType): SchemaPlan {
  if (schema instanceof z.ZodOptional) {
    const inner = getSchemaPlan(schema.unwrap())
    return { kind: 'optional', schema, inner, expected: inner.expected, needsWalk: inner.needsWalk }
  }
  if (schema instanceof z.ZodNullable) {
    const inner = getSchemaPlan(schema.unwrap())
    return { kind: 'nullable', schema, inner, expected: `${inner.expected} | null`, needsWalk: inner.needsWalk }
  }
  if (schema instanceof z.ZodArray) {
    const element = getSchemaPlan(schema.element)
    return { kind: 'list', schema, element, expected: 'array', needsWalk: element.needsWalk }
  }
  if (schema instanceof z.ZodObject) {
    const statements = statementsBySchema.get(schema) ?? {}
    const members = Object.entries(schema.shape).map(([name, memberSchema]) => createMemberPlan(name, memberSchema, statements))
    const variants = getShapeVariants(schema)
    const needsWalk =
      variants !== undefined ||
      members.some(({ plan, isOptional, presence }) => plan.needsWalk || (isOptional && presence !== 'open'))
    const basis = members.some(({ presence, type }) => presence === 'spec' || type === 'spec') ? 'spec' : 'observed'
    return { kind: 'object', schema, members, variants: variants ?? {}, isTable: tables.has(schema), basis, expected: 'object', needsWalk }
  }
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.map(getSchemaPlan)
    const expected = [...new Set(options.map((option) => option.expected))].join(' | ')
    return { kind: 'union', schema, options, expected, needsWalk: options.some(({ needsWalk: promises }) => promises) }
  }
  const range = ranges.get(schema) ?? null
  return {
    kind: 'leaf',
    schema,
    expected: describeExpected(schema),
    accepts: createTest(schema),
    range,
    isCount: counts.has(schema),
    knownValues: knownValues.get(schema) ?? null,
    format: formats.get(schema) ?? null,
    needsWalk: false,
  }
}

function createMemberPlan(name: string, schema: z.core.$ZodType, statements: MemberStatements): MemberPlan {
  const { always = [], sometimes = [], untyped = [], usually = [] } = statements
  const isOptional = schema._zod.optin === 'optional'
  const isStated = (always.includes(name) || sometimes.includes(name)) && !untyped.includes(name)
  const isUsual = usually.includes(name) || (!isOptional && !sometimes.includes(name))
  return {
    name,
    plan: getSchemaPlan(schema),
    isOptional,
    presence: always.includes(name) ? 'spec' : isUsual ? 'observed' : 'open',
    type: isStated ? 'spec' : 'observed',
  }
}

function describeExpected(schema: z.ZodType): string {
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => JSON.stringify(option)).join(' | ')
  if (schema instanceof z.ZodLiteral) return [...schema.values].map((value) => JSON.stringify(value)).join(' | ')
  return schema instanceof z.ZodNumber && schema.isInt ? 'integer' : schema.type
}

/** Plain types are tested directly, because zod creates an error for each value that fails. */
function createTest(schema: z.ZodType): (value: unknown) => boolean {
  if ((schema._zod.def.checks?.length ?? 0) === 0) {
    if (schema instanceof z.ZodUnknown) return () => true
    if (schema instanceof z.ZodString) return (value) => typeof value === 'string'
    if (schema instanceof z.ZodNumber) return (value) => Number.isFinite(value)
    if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean'
  }
  return (value) => schema.safeParse(value).success
}

/** Returns the JSON type of a value; `undefined` if there is no value. */
export function getJsonType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
