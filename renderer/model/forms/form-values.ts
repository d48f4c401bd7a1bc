import type { FormField } from './form-fields.ts'

/** Values by field name; a field that is not filled in is absent. Numbers are sent unchanged. */
export type FormValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** A code that the page translates, with its parameters. */
export interface FieldError {
  readonly code: 'required' | 'number' | 'integer' | 'range' | 'choice' | 'json' | 'clash' | 'incomplete' | 'pair'
  readonly params: Readonly<Record<string, string | number>>
}

export function isEmptyFieldValue(value: FormValues[string]): boolean {
  return value === undefined || value === ''
}

type ParsedFieldValue = { readonly value: unknown } | { readonly error: FieldError }
const toError = (code: FieldError['code'], params: FieldError['params'] = {}): ParsedFieldValue => ({
  error: { code, params },
})

/** Returns the value of a field, which is undefined if the field is left out, or the error. */
export function parseFieldValue(field: FormField, fieldValue: FormValues[string]): ParsedFieldValue {
  if (typeof fieldValue === 'boolean') return { value: fieldValue }
  if (typeof fieldValue === 'number' && field.type === 'text-or-number') return { value: fieldValue }
  if (Array.isArray(fieldValue)) {
    const lines = fieldValue as readonly string[]
    if (field.type !== 'strings') return parseFieldValue(field, lines.join('\n'))
    const texts = lines.filter(Boolean)
    if (texts.length > 0) return { value: [...texts] }
    // An empty list is valid only for a required field that allows it.
    if (field.required) return field.canBeEmpty ? { value: [] } : toError('required')
    return { value: undefined }
  }
  const text = fieldValue === undefined ? undefined : String(fieldValue)
  if (field.type === 'strings' && field.canBeEmpty) return parseFieldValue(field, splitLines(text ?? ''))
  if (text === undefined || (text === '' && !field.canBeEmpty)) {
    return field.required ? (field.canBeEmpty ? { value: '' } : toError('required')) : { value: undefined }
  }
  switch (field.type) {
    case 'integer':
    case 'number':
      return parseNumber(field, text)
    case 'enum':
      return field.values?.includes(text) ? { value: text } : toError('choice')
    case 'json':
      return parseJsonFieldValue(text)
    case 'boolean':
      return { value: text === 'true' }
    case 'strings':
      return parseFieldValue(field, splitLines(text))
    case 'pairs':
      return parsePairs(splitLines(text))
    case 'text':
    case 'text-or-number':
      return { value: text }
  }
}

/** One element a line as typed: removing spaces at every keystroke would join words. */
function splitLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}

/** Parses lines of `name=value`. A repeated name is an error. */
function parsePairs(lines: readonly string[]): ParsedFieldValue {
  const pairs = new Map<string, string>()
  for (const line of lines) {
    const [name = '', ...value] = line.split('=')
    if (name === '' || value.length === 0) return toError('pair', { line })
    if (pairs.has(name)) return toError('clash', { name })
    pairs.set(name, value.join('='))
  }
  return { value: Object.fromEntries(pairs) }
}

function parseNumber(field: FormField, text: string): ParsedFieldValue {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return toError('number')
  if (field.type === 'integer' && !Number.isSafeInteger(value)) return toError('integer')
  const { min, max } = field
  if ((min !== undefined && value < min) || (max !== undefined && value > max)) {
    return toError('range', { min: min ?? '', max: max ?? '' })
  }
  return { value }
}

export function parseJsonFieldValue(text: string): ParsedFieldValue {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return toError('json')
  }
}
