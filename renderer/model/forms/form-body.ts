import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { isObject } from '../../../shared/json/object.ts'
import { createFormFields, type FormField } from './form-fields.ts'
import { mergeMembers, hasMember, isMemberBlocked, parseObject, setMember } from './nested-members.ts'
import { isEmptyFieldValue, parseJsonText, parseFieldValue, type FieldError, type FormValues } from './form-values.ts'

/**
 * The body that a form holds so far, as indented JSON text. A value that its field does not accept appears as it was typed, so that
 * nothing is lost. Or the reason why the additional members cannot be included.
 */
export function formatFormBody(endpoint: Endpoint, values: FormValues, extra = ''): string | FieldError {
  const body: Record<string, unknown> = {}
  const more = extra.trim() === '' ? {} : parseObject(extra)
  if (more === null) return { code: 'json', params: {} }
  for (const field of bodyFields(endpoint)) {
    const path = field.name.split('.')
    const given = values[field.name]
    if (isEmptyFieldValue(given) && isMemberBlocked(more, path)) continue
    const read = parseFieldValue(field, given)
    if ('value' in read) {
      if (read.value !== undefined) setMember(body, path, read.value)
    } else if (read.error.code !== 'required') setMember(body, path, given)
  }
  const clash = mergeMembers(body, more, '')
  return clash === null ? JSON.stringify(body, null, 2) : { code: 'clash', params: { name: clash } }
}

/** A body in a form: its fields, and as additional members whatever no field can hold. */
interface FormBody {
  readonly values: FormValues
  /** JSON text of an object; empty if nothing is left. */
  readonly extraJson: string
}

/** The inverse of `bodyTextOf`. Null for text that is not a JSON object, and for what a form could not return unchanged. */
export function parseFormBody(endpoint: Endpoint, text: string): FormBody | null {
  const read = parseJsonText(text)
  if (!('value' in read) || !isObject(read.value)) return null
  const values: Record<string, FormValues[string]> = {}
  const rest = read.value
  for (const field of bodyFields(endpoint)) {
    const path = field.name.split('.')
    const value = hasMember(rest, path) ? at(rest, path) : undefined
    const shown = value === undefined ? undefined : shownIn(field, value)
    values[field.name] = shown
    if (shown !== undefined) take(rest, path)
  }
  const left = Object.keys(rest).length > 0
  return { values, extraJson: left ? JSON.stringify(rest, null, 2) : '' }
}

const bodyFields = (endpoint: Endpoint): readonly FormField[] =>
  createFormFields(endpoint).filter((field) => field.in === 'body')

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((there, name) => (isObject(there) ? there[name] : undefined), value)
}

/** A value as its field shows it; undefined if the field would not return it unchanged. */
function shownIn(field: FormField, value: unknown): FormValues[string] {
  const shown = candidate(field, value)
  if (shown === undefined) return undefined
  const back = parseFieldValue(field, shown)
  return 'value' in back && JSON.stringify(back.value) === JSON.stringify(value) ? shown : undefined
}

function candidate({ type }: FormField, value: unknown): FormValues[string] {
  if (type === 'json') return JSON.stringify(value, null, 2)
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (type === 'text-or-number' && typeof value === 'number') return value
  if (type === 'strings') {
    return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join('\n') : undefined
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** Removes a member, and the objects that this leaves empty. */
function take(target: Record<string, unknown>, path: readonly string[]): void {
  const [head = '', ...rest] = path
  const inner = target[head]
  if (rest.length > 0 && isObject(inner)) {
    take(inner, rest)
    if (Object.keys(inner).length > 0) return
  }
  Reflect.deleteProperty(target, head)
}
