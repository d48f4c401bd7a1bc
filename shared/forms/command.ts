import type { Endpoint } from '../bridge/endpoint.ts'
import type { CommandDraft } from '../ipc/commands.ts'
import { fieldsOf, type Field } from './fields.ts'
import { isObject } from '../json/object.ts'

/** The values of a form by field name; absent means not filled in. A number is one that was read and goes back as it came. */
export type FormValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** Why a field cannot be sent as it is: a code for the page, with what its sentence needs. */
export interface FieldError {
  readonly code: 'required' | 'number' | 'integer' | 'range' | 'choice' | 'json' | 'clash' | 'incomplete'
  readonly params: Readonly<Record<string, string | number>>
}
export type FormResult =
  | { readonly ok: true; readonly draft: CommandDraft }
  | { readonly ok: false; readonly errors: Readonly<Record<string, FieldError>> }

/**
 * The command that a form describes, or the fields that cannot be sent. Whether the body as a whole matches the table is reported at the
 * review, and does not prevent sending (spec §1: bodies change with the host). `extra` holds body members that no schema names, as the
 * JSON text of an object.
 */
export function commandOf(endpoint: Endpoint, values: FormValues, extra = ''): FormResult {
  const errors: Record<string, FieldError> = {}
  const params: Record<string, string> = {}
  const query: Record<string, string | number> = {}
  const body: Record<string, unknown> = {}
  const fields = fieldsOf(endpoint)
  for (const field of fields) {
    const read = valueOf(field, values[field.name])
    if ('error' in read) errors[field.name] = read.error
    else if (read.value === undefined) continue
    else if (field.in === 'path') params[field.name] = String(read.value)
    else if (field.in === 'query') query[field.name] = read.value as string | number
    else put(body, field.name.split('.'), read.value)
  }
  for (const { name, requiredIn } of fields) {
    if (requiredIn === undefined || !Object.hasOwn(body, requiredIn) || has(body, name.split('.'))) continue
    errors[name] ??= { code: 'incomplete', params: { name: requiredIn } }
  }
  if (endpoint.body !== null && extra.trim() !== '') {
    const more = objectOf(extra)
    const clash = more === null ? null : addTo(body, more, '')
    if (more === null) errors['extra'] = { code: 'json', params: {} }
    else if (clash !== null) errors['extra'] = { code: 'clash', params: { name: clash } }
  }
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  return { ok: true, draft: { endpoint: endpoint.id, params, query, ...(endpoint.body === null ? {} : { body }) } }
}

type Read = { readonly value: unknown } | { readonly error: FieldError }
const wrong = (code: FieldError['code'], params: FieldError['params'] = {}): Read => ({ error: { code, params } })

function valueOf(field: Field, given: FormValues[string]): Read {
  if (typeof given === 'boolean') return { value: given }
  if (typeof given === 'number' && field.type === 'text-or-number') return { value: given }
  if (Array.isArray(given)) {
    const lines = given as readonly string[]
    if (field.type !== 'strings') return valueOf(field, lines.join('\n'))
    const texts = lines.filter(Boolean)
    return texts.length === 0 ? (field.required ? wrong('required') : { value: undefined }) : { value: [...texts] }
  }
  const text = given === undefined ? undefined : String(given)
  if (text === undefined || (text === '' && !field.mayBeEmpty)) {
    return field.required ? (field.mayBeEmpty ? { value: '' } : wrong('required')) : { value: undefined }
  }
  switch (field.type) {
    case 'integer':
    case 'number':
      return numberOf(field, text)
    case 'enum':
      return field.values?.includes(text) ? { value: text } : wrong('choice')
    case 'json':
      return jsonOf(text)
    case 'boolean':
      return { value: text === 'true' }
    case 'strings':
      return valueOf(field, linesOf(text))
    case 'text':
    case 'text-or-number':
      return { value: text }
  }
}

/** One text per line. The form keeps what was typed: tidying it at every keystroke would join words while somebody is still typing. */
function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}

function numberOf(field: Field, text: string): Read {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return wrong('number')
  if (field.type === 'integer' && !Number.isSafeInteger(value)) return wrong('integer')
  const { min, max } = field
  if ((min !== undefined && value < min) || (max !== undefined && value > max)) {
    return wrong('range', { min: min ?? '', max: max ?? '' })
  }
  return { value }
}

function jsonOf(text: string): Read {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return wrong('json')
  }
}

function objectOf(text: string): Record<string, unknown> | null {
  const read = jsonOf(text)
  if ('error' in read) return null
  return isObject(read.value) ? read.value : null
}

/** Defines an own member, whatever its name. */
const define = (target: object, name: string, value: unknown): unknown =>
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })

function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head = '', ...rest] = path
  if (rest.length === 0) {
    define(target, head, value)
    return
  }
  const there = Object.hasOwn(target, head) ? target[head] : undefined
  const inner = isObject(there) ? there : {}
  define(target, head, inner)
  put(inner, rest, value)
}

function has(value: unknown, path: readonly string[]): boolean {
  const [head = '', ...rest] = path
  if (!isObject(value) || !Object.hasOwn(value, head)) return false
  return rest.length === 0 || has(value[head], rest)
}

/** Adds the members of `more`, also inside members. Returns the first one that exists already. */
function addTo(target: Record<string, unknown>, more: Record<string, unknown>, prefix: string): string | null {
  for (const [name, value] of Object.entries(more)) {
    const there = Object.hasOwn(target, name) ? target[name] : undefined
    if (there === undefined) define(target, name, value)
    else {
      const inner = isObject(there) && isObject(value) ? addTo(there, value, `${prefix}${name}.`) : `${prefix}${name}`
      if (inner !== null) return inner
    }
  }
  return null
}
