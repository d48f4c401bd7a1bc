import { isObject } from '../../../shared/json/object.ts'
import type { JsonCursor } from './cursor.ts'

/** Something to complete: what is inserted, and what is said beside it. */
export interface CompletionOption {
  readonly label: string
  /** JSON text. */
  readonly insertedText: string
  readonly detail: string
}

type Schema = Readonly<Record<string, unknown>>

/** What a JSON Schema allows at a place: member names, or values. Empty where it says nothing. */
export function getJsonCompletions(
  schema: unknown,
  { path: trail, expects: wants, usedNames: taken }: Omit<JsonCursor, 'startOffset'>,
): readonly CompletionOption[] {
  const here = trail.reduce<readonly Schema[]>((at, step) => at.flatMap((one) => inside(one, step)), open(schema))
  const options = here.flatMap((one) => (wants === 'name' ? namesOf(one, taken) : valuesOf(one)))
  return [...new Map(options.map((one) => [one.label, one])).values()]
}

/** A schema, with its alternatives in its place. */
function open(schema: unknown): readonly Schema[] {
  if (!isObject(schema)) return []
  const others = [schema['anyOf'], schema['oneOf']].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))
  return others.length === 0 ? [schema] : others.flatMap(open)
}

function inside(schema: Schema, step: string): readonly Schema[] {
  const own = member(schema['properties'], step)
  if (own !== undefined) return open(own)
  return /^\d+$/.test(step) ? open(schema['items']) : open(schema['additionalProperties'])
}

function namesOf(schema: Schema, taken: readonly string[]): CompletionOption[] {
  const properties = schema['properties']
  if (!isObject(properties)) return []
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []
  return Object.entries(properties)
    .filter(([name]) => !taken.includes(name))
    .sort(([a], [b]) => Number(required.includes(b)) - Number(required.includes(a)))
    .map(([name, own]) => ({
      label: name,
      insertedText: JSON.stringify(name),
      detail: [typeOf(own), required.includes(name) ? '*' : ''].filter(Boolean).join(' '),
    }))
}

function valuesOf(schema: Schema): CompletionOption[] {
  const listed: unknown[] = Array.isArray(schema['enum'])
    ? (schema['enum'] as unknown[])
    : Object.hasOwn(schema, 'const')
      ? [schema['const']]
      : schema['type'] === 'boolean'
        ? [true, false]
        : schema['type'] === 'null'
          ? [null]
          : []
  return listed.map((value) => ({ label: String(value), insertedText: JSON.stringify(value), detail: '' }))
}

function typeOf(schema: unknown): string {
  const types = open(schema).flatMap((one) => (typeof one['type'] === 'string' ? [one['type']] : []))
  return [...new Set(types)].join(' | ')
}

const member = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
