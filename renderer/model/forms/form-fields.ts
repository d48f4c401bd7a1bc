import { z } from 'zod'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'

/** How a form field is filled in. `json` accepts any JSON text, `pairs` lines of `name=value`. */
type FormFieldType =
  'text' | 'integer' | 'number' | 'boolean' | 'enum' | 'strings' | 'json' | 'text-or-number' | 'pairs'

/** A field of a command, from the endpoint's row: a path or query parameter, or a member of the body. */
export interface FormField {
  /** `target.noteid` for a member inside a member. */
  readonly name: string
  readonly in: 'path' | 'query' | 'body'
  readonly type: FormFieldType
  readonly required: boolean
  /** The optional object that this is a required member of: needed as soon as another member of the object is filled in. */
  readonly requiredInObject?: string
  /** The empty text is a value in its own right (spec §4: `layerId` may be the empty string). */
  readonly canBeEmpty: boolean
  readonly min?: number
  readonly max?: number
  readonly values?: readonly string[]
  readonly description?: string
  readonly source?: string
  /** No document names this member; the schema says so with `.meta({ guessed: true })`. */
  readonly isGuessed?: true
}

/** Members that the gate adds and nobody fills in (spec §4: `confirm`). `addon` is not one: an external tool names it itself (spec §5). */
const added = new Set(['confirm'])

/**
 * Members whose empty value is a value in its own right: spec §4 `layerId`; observed §5 `expectedPrefix` if there is no text yet, and
 * `hashtags`, which are cleared by replacing them with none.
 */
const emptyCounts = new Set(['layerId', 'expectedPrefix', 'hashtags'])

interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly guessed?: unknown
}

/** Name of the field for query parameters that nobody has named: no parameter is called like this. */
const ANY_QUERY_FIELD = '?'

/** The form of a command, made from its row alone: a new endpoint needs no new form. */
export function createFormFields(endpoint: Endpoint): readonly FormField[] {
  const named = endpoint.parameters.filter(({ name, in: where }) => where !== 'query' || !added.has(name))
  const parameters = named.map((parameter): FormField => {
    const { name, in: where, type, required, min, max, values, description, source } = parameter
    return {
      name,
      in: where,
      type: type === 'string' ? 'text' : type,
      required,
      canBeEmpty: false,
      description,
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
      ...(values === undefined ? {} : { values }),
      ...(source === undefined ? {} : { source }),
    }
  })
  if (endpoint.acceptsAnyQuery)
    parameters.push({ name: ANY_QUERY_FIELD, in: 'query', type: 'pairs', required: false, canBeEmpty: false })
  if (endpoint.body === null) return parameters
  const schema = z.toJSONSchema(endpoint.body, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  return [...parameters, ...members(schema, '', null)]
}

/** `optional`: the object that `schema` describes may be left out. */
function members(schema: JsonSchema, prefix: string, optional: string | null): FormField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`
    if (prefix === '' && added.has(key)) return []
    const required = schema.required?.includes(key) ?? false
    if (member.type === 'object' && Object.keys(member.properties ?? {}).length > 0) {
      return members(member, name, optional ?? (required ? null : name))
    }
    const marked = member.guessed === true ? { isGuessed: true as const } : {}
    const field = { name, in: 'body' as const, canBeEmpty: emptyCounts.has(key), ...kindOf(member), ...marked }
    if (optional !== null) return [{ ...field, required: false, ...(required ? { requiredInObject: optional } : {}) }]
    return [{ ...field, required }]
  })
}

function kindOf(schema: JsonSchema): Pick<FormField, 'type' | 'min' | 'max' | 'values'> {
  const range = {
    ...(schema.minimum === undefined || schema.minimum <= Number.MIN_SAFE_INTEGER ? {} : { min: schema.minimum }),
    ...(schema.maximum === undefined || schema.maximum >= Number.MAX_SAFE_INTEGER ? {} : { max: schema.maximum }),
  }
  if (schema.enum?.every((value) => typeof value === 'string')) return { type: 'enum', values: schema.enum as string[] }
  if (schema.type === 'string') return { type: 'text' }
  if (schema.type === 'integer' || schema.type === 'number') return { type: schema.type, ...range }
  if (schema.type === 'boolean') return { type: 'boolean' }
  if (schema.type === 'array' && schema.items?.type === 'string') return { type: 'strings' }
  const types = typeof schema.type === 'object' ? schema.type : schema.anyOf?.map(({ type }) => type)
  const some = (types ?? []).filter((type) => type !== 'null')
  if (some.length === 1 && some[0] === 'string') return { type: 'text' }
  if (some.length === 2 && some.includes('string') && some.includes('number')) return { type: 'text-or-number' }
  return { type: 'json' }
}
