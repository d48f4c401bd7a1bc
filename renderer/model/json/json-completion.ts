import { isObject } from '../../../shared/json/object.ts'
import type { JsonCursor } from './cursor.ts'

export interface CompletionOption {
  readonly label: string
  /** JSON text. */
  readonly insertedText: string
  readonly detail: string
}

type Schema = Readonly<Record<string, unknown>>

/** Finds the member names or values that a JSON Schema allows at the cursor. */
export function getJsonCompletions(
  schema: unknown,
  { path, expects, usedNames }: Omit<JsonCursor, 'startOffset'>,
): readonly CompletionOption[] {
  const schemas = path.reduce<readonly Schema[]>(
    (current, step) => current.flatMap((schemaAtStep) => getSchemasOfStep(schemaAtStep, step)),
    expandAlternatives(schema),
  )
  const options = schemas.flatMap((candidate) =>
    expects === 'name' ? listNames(candidate, usedNames) : listValues(candidate),
  )
  return [...new Map(options.map((option) => [option.label, option])).values()]
}

/** A schema with alternatives stands for each of them. */
function expandAlternatives(schema: unknown): readonly Schema[] {
  if (!isObject(schema)) return []
  const alternatives = [schema['anyOf'], schema['oneOf']].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  )
  return alternatives.length === 0 ? [schema] : alternatives.flatMap(expandAlternatives)
}

function getSchemasOfStep(schema: Schema, step: string): readonly Schema[] {
  const propertySchema = getOwnMember(schema['properties'], step)
  if (propertySchema !== undefined) return expandAlternatives(propertySchema)
  return /^\d+$/.test(step) ? expandAlternatives(schema['items']) : expandAlternatives(schema['additionalProperties'])
}

function listNames(schema: Schema, usedNames: readonly string[]): CompletionOption[] {
  const properties = schema['properties']
  if (!isObject(properties)) return []
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []
  return Object.entries(properties)
    .filter(([name]) => !usedNames.includes(name))
    .sort(([a], [b]) => Number(required.includes(b)) - Number(required.includes(a)))
    .map(([name, propertySchema]) => ({
      label: name,
      insertedText: JSON.stringify(name),
      detail: [typeOf(propertySchema), required.includes(name) ? '*' : ''].filter(Boolean).join(' '),
    }))
}

function listValues(schema: Schema): CompletionOption[] {
  const values: unknown[] = Array.isArray(schema['enum'])
    ? (schema['enum'] as unknown[])
    : Object.hasOwn(schema, 'const')
      ? [schema['const']]
      : schema['type'] === 'boolean'
        ? [true, false]
        : schema['type'] === 'null'
          ? [null]
          : []
  return values.map((value) => ({ label: String(value), insertedText: JSON.stringify(value), detail: '' }))
}

function typeOf(schema: unknown): string {
  const types = expandAlternatives(schema).flatMap((alternative) =>
    typeof alternative['type'] === 'string' ? [alternative['type']] : [],
  )
  return [...new Set(types)].join(' | ')
}

const getOwnMember = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
