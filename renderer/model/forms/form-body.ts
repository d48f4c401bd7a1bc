import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { isObject } from '../../../shared/json/object.ts'
import { createFormFields, type FormField } from './form-fields.ts'
import { mergeMembers, hasMember, isMemberBlocked, parseJsonObject, setMember } from './nested-members.ts'
import {
  isEmptyFieldValue,
  parseJsonFieldValue,
  parseFieldValue,
  type FieldError,
  type FormValues,
} from './form-values.ts'

/**
 * Formats the body that a form holds as indented JSON text. A value that its field does not accept
 * appears as typed, so that no input is lost.
 * @returns an error if the additional members cannot be included
 */
export function formatFormBody(endpoint: Endpoint, values: FormValues, extra = ''): string | FieldError {
  const body: Record<string, unknown> = {}
  const extraMembers = extra.trim() === '' ? {} : parseJsonObject(extra)
  if (extraMembers === null) return { code: 'json', params: {} }
  for (const field of createBodyFields(endpoint)) {
    const path = field.name.split('.')
    const fieldValue = values[field.name]
    if (isEmptyFieldValue(fieldValue) && isMemberBlocked(extraMembers, path)) continue
    const parsed = parseFieldValue(field, fieldValue)
    if ('value' in parsed) {
      if (parsed.value !== undefined) setMember(body, path, parsed.value)
    } else if (parsed.error.code !== 'required') setMember(body, path, fieldValue)
  }
  const duplicate = mergeMembers(body, extraMembers, '')
  return duplicate === null ? JSON.stringify(body, null, 2) : { code: 'clash', params: { name: duplicate } }
}

/** The fields hold what they can of a body; the remaining members are in `extraJson`. */
interface FormBody {
  readonly values: FormValues
  /** JSON text of an object; empty if the fields hold all members. */
  readonly extraJson: string
}

/** The inverse of `formatFormBody`; null for what the form could not reproduce. */
export function parseFormBody(endpoint: Endpoint, text: string): FormBody | null {
  const parsed = parseJsonFieldValue(text)
  if (!('value' in parsed) || !isObject(parsed.value)) return null
  const values: Record<string, FormValues[string]> = {}
  const remaining = parsed.value
  for (const field of createBodyFields(endpoint)) {
    const path = field.name.split('.')
    const value = hasMember(remaining, path) ? getMemberAt(remaining, path) : undefined
    const fieldValue = value === undefined ? undefined : toFieldValue(field, value)
    values[field.name] = fieldValue
    if (fieldValue !== undefined) removeMember(remaining, path)
  }
  const hasRemaining = Object.keys(remaining).length > 0
  return { values, extraJson: hasRemaining ? JSON.stringify(remaining, null, 2) : '' }
}

const createBodyFields = (endpoint: Endpoint): readonly FormField[] =>
  createFormFields(endpoint).filter((field) => field.in === 'body')

function getMemberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((current, name) => (isObject(current) ? current[name] : undefined), value)
}

/** Returns undefined if the field would not give the value back unchanged. */
function toFieldValue(field: FormField, value: unknown): FormValues[string] {
  const fieldValue = toCandidate(field, value)
  if (fieldValue === undefined) return undefined
  const parsed = parseFieldValue(field, fieldValue)
  return 'value' in parsed && JSON.stringify(parsed.value) === JSON.stringify(value) ? fieldValue : undefined
}

function toCandidate({ type }: FormField, value: unknown): FormValues[string] {
  if (type === 'json') return JSON.stringify(value, null, 2)
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (type === 'text-or-number' && typeof value === 'number') return value
  if (type === 'strings') {
    return Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value.join('\n') : undefined
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** Removes a member, and the objects around it that become empty. */
function removeMember(target: Record<string, unknown>, path: readonly string[]): void {
  const [name = '', ...rest] = path
  const inner = target[name]
  if (rest.length > 0 && isObject(inner)) {
    removeMember(inner, rest)
    if (Object.keys(inner).length > 0) return
  }
  Reflect.deleteProperty(target, name)
}
