import { z } from 'zod'
import { getShapeVariants, type ShapeVariants } from './shape-variants.ts'

const promisedSchemas = new WeakSet<z.ZodType>()

/**
 * Marks a member that the contract promises but that the program can do without. A missing or wrong
 * value is reported, and the object around it stays.
 */
export function markPromised<S extends z.ZodType>(schema: S): z.ZodOptional<S> {
  const member = schema.optional()
  promisedSchemas.add(member)
  return member
}

interface Range {
  readonly min: number
  readonly max: number
}
const ranges = new WeakMap<z.ZodType, Range>()

/** Creates a schema for a number with a range. A number outside it is reported but accepted. */
export function createRangedNumber(min: number, max: number): z.ZodNumber {
  const schema = z.number()
  ranges.set(schema, { min, max })
  return schema
}

/** What the contract says about the members of an object beyond their types. */
interface ShownMembers {
  /** Members of every response, although the schema has them as optional. */
  readonly required: readonly string[]
}
const shownMembersBySchema = new WeakMap<z.ZodType, ShownMembers>()

/**
 * Marks an object of which the contract shows every member, so that a further member is unknown.
 * All other objects are open: the contract shows some of their members.
 */
export function markComplete<S extends z.ZodObject>(schema: S, required: readonly (keyof S['shape'] & string)[] = []): S {
  shownMembersBySchema.set(schema, { required })
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
const knownValues = new WeakMap<z.ZodType, readonly KnownValue[]>()

interface TextFormat {
  /** How the contract writes it: `#RRGGBB`. */
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

/** Marks a value of which the contract lists the values, or those observed. Others are accepted. */
export function markKnownValues<S extends z.ZodType>(schema: S, ...values: readonly KnownValue[]): S {
  knownValues.set(schema, values)
  return schema
}

export interface MemberPlan {
  readonly name: string
  readonly plan: SchemaPlan
  readonly isOptional: boolean
  readonly isPromised: boolean
}

/**
 * A schema in a form that is fast to walk. Plans are cached, because long lists are checked against
 * them.
 */
export type SchemaPlan = {
  readonly schema: z.ZodType
  /** JSON types that the schema accepts: `string`, `number | null`. */
  readonly expected: string
  /**
   * A nested member is promised, has other names or a range, so a value that passes the schema may
   * still have problems.
   */
  readonly needsWalk: boolean
} & (
  | { readonly kind: 'optional'; readonly inner: SchemaPlan }
  | { readonly kind: 'nullable'; readonly inner: SchemaPlan }
  | { readonly kind: 'list'; readonly element: SchemaPlan }
  | {
      readonly kind: 'object'
      readonly members: readonly MemberPlan[]
      readonly variants: ShapeVariants
      /** Null if the contract does not show all members. */
      readonly shownMembers: ShownMembers | null
    }
  | { readonly kind: 'union'; readonly options: readonly SchemaPlan[] }
  | {
      readonly kind: 'leaf'
      readonly accepts: (value: unknown) => boolean
      readonly range: Range | null
      /** The contract counts something, so that only whole numbers from 0 make sense. */
      readonly isCount: boolean
      /** Null if the contract does not list the values. */
      readonly knownValues: readonly KnownValue[] | null
      readonly format: TextFormat | null
    }
)

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
    const promises = inner.needsWalk || promisedSchemas.has(schema)
    return { kind: 'optional', schema, inner, expected: inner.expected, needsWalk: promises }
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
    const members = Object.entries(schema.shape).map(([name, memberSchema]): MemberPlan => {
      const plan = getSchemaPlan(memberSchema)
      return { name, plan, isOptional: memberSchema._zod.optin === 'optional', isPromised: promisedSchemas.has(plan.schema) }
    })
    const variants = getShapeVariants(schema)
    const promises = variants !== undefined || members.some(({ plan }) => plan.needsWalk)
    const shownMembers = shownMembersBySchema.get(schema) ?? null
    return { kind: 'object', schema, members, variants: variants ?? {}, shownMembers, expected: 'object', needsWalk: promises }
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
    needsWalk: range !== null,
  }
}

function describeExpected(schema: z.ZodType): string {
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => JSON.stringify(option)).join(' | ')
  if (schema instanceof z.ZodLiteral) return [...schema.values].map((value) => JSON.stringify(value)).join(' | ')
  return schema.type
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
