// Turns an entry of the endpoint table into a form, and the form's values into a command. The
// components of the form are in `renderer/panes/write`. Read this file first, then form-values.ts
// and command-draft.ts.

import { z } from 'zod'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'

/** A `json` field accepts any JSON text, a `pairs` field lines of `name=value`. */
type FormFieldType =
  'text' | 'integer' | 'number' | 'boolean' | 'enum' | 'strings' | 'json' | 'text-or-number' | 'pairs'

/** A path parameter, a query parameter, or a member of the body. */
export interface FormField {
  /** The name of a nested member contains its path: `target.noteid`. */
  readonly name: string
  readonly in: 'path' | 'query' | 'body'
  readonly type: FormFieldType
  readonly required: boolean
  /** The optional object around; the member is required once another in it is filled in. */
  readonly requiredInObject?: string
  /** The empty text is a valid value (spec §4: `layerId` may be empty). */
  readonly canBeEmpty: boolean
  readonly min?: number
  readonly max?: number
  readonly values?: readonly string[]
  readonly description?: string
  readonly source?: string
  /** True for a member that the contract does not name: `.meta({ guessed: true })`. */
  readonly isGuessed?: true
}

/** Added on sending (spec §4: `confirm`). External tools send `addon` themselves (spec §5). */
const addedMembers = new Set(['confirm'])

/** Empty is a value of them: no layer (spec §4), no text, no tags (observed §5). */
const emptiableMembers = new Set(['layerId', 'expectedPrefix', 'hashtags'])

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

/** Stands for query parameters whose names are unknown; no real parameter has this name. */
const ANY_QUERY_FIELD = '?'

/** The fields follow from the endpoint table, so that a new endpoint needs no form of its own. */
export function createFormFields(endpoint: Endpoint): readonly FormField[] {
  const parametersInForm = endpoint.parameters.filter(
    ({ name, in: location }) => location !== 'query' || !addedMembers.has(name),
  )
  const parameters = parametersInForm.map((parameter): FormField => {
    const { name, in: location, type, required, min, max, values, description, source } = parameter
    return {
      name,
      in: location,
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
  return [...parameters, ...createMemberFields(schema, '', null)]
}

/** @param optionalObject name of the enclosing object that may be omitted; null if there is none */
function createMemberFields(schema: JsonSchema, prefix: string, optionalObject: string | null): FormField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`
    if (prefix === '' && addedMembers.has(key)) return []
    const required = schema.required?.includes(key) ?? false
    if (member.type === 'object' && Object.keys(member.properties ?? {}).length > 0) {
      return createMemberFields(member, name, optionalObject ?? (required ? null : name))
    }
    const guessedMark = member.guessed === true ? { isGuessed: true as const } : {}
    const field = {
      name,
      in: 'body' as const,
      canBeEmpty: emptiableMembers.has(key),
      ...getFieldType(member),
      ...guessedMark,
    }
    if (optionalObject !== null)
      return [{ ...field, required: false, ...(required ? { requiredInObject: optionalObject } : {}) }]
    return [{ ...field, required }]
  })
}

function getFieldType(schema: JsonSchema): Pick<FormField, 'type' | 'min' | 'max' | 'values'> {
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
  const nonNullTypes = (types ?? []).filter((type) => type !== 'null')
  if (nonNullTypes.length === 1 && nonNullTypes[0] === 'string') return { type: 'text' }
  if (nonNullTypes.length === 2 && nonNullTypes.includes('string') && nonNullTypes.includes('number'))
    return { type: 'text-or-number' }
  return { type: 'json' }
}
