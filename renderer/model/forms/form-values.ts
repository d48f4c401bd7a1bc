import type { FormField } from './form-fields.ts'

/** The values of a form by field name; absent means not filled in. A number is one that was read and goes back as it came. */
export type FormValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** Why a field cannot be sent as it is: a code for the page, with what its sentence needs. */
export interface FieldError {
  readonly code: 'required' | 'number' | 'integer' | 'range' | 'choice' | 'json' | 'clash' | 'incomplete' | 'pair'
  readonly params: Readonly<Record<string, string | number>>
}

/** Nothing was filled in. */
export const isEmptyFieldValue = (given: FormValues[string]): boolean => given === undefined || given === ''

type ParsedFieldValue = { readonly value: unknown } | { readonly error: FieldError }
const wrong = (code: FieldError['code'], params: FieldError['params'] = {}): ParsedFieldValue => ({
  error: { code, params },
})

/** The value that a field holds (undefined if it is left out), or why it is not valid. */
export function parseFieldValue(field: FormField, given: FormValues[string]): ParsedFieldValue {
  if (typeof given === 'boolean') return { value: given }
  if (typeof given === 'number' && field.type === 'text-or-number') return { value: given }
  if (Array.isArray(given)) {
    const lines = given as readonly string[]
    if (field.type !== 'strings') return parseFieldValue(field, lines.join('\n'))
    const texts = lines.filter(Boolean)
    if (texts.length > 0) return { value: [...texts] }
    // An empty list is a value in its own right if the row says so, but only for a required field.
    if (field.required) return field.canBeEmpty ? { value: [] } : wrong('required')
    return { value: undefined }
  }
  const text = given === undefined ? undefined : String(given)
  if (field.type === 'strings' && field.canBeEmpty) return parseFieldValue(field, linesOf(text ?? ''))
  if (text === undefined || (text === '' && !field.canBeEmpty)) {
    return field.required ? (field.canBeEmpty ? { value: '' } : wrong('required')) : { value: undefined }
  }
  switch (field.type) {
    case 'integer':
    case 'number':
      return numberOf(field, text)
    case 'enum':
      return field.values?.includes(text) ? { value: text } : wrong('choice')
    case 'json':
      return parseJsonText(text)
    case 'boolean':
      return { value: text === 'true' }
    case 'strings':
      return parseFieldValue(field, linesOf(text))
    case 'pairs':
      return pairsOf(linesOf(text))
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

/** An object of `name=value` lines; each name once. */
function pairsOf(lines: readonly string[]): ParsedFieldValue {
  const pairs = new Map<string, string>()
  for (const line of lines) {
    const [name = '', ...value] = line.split('=')
    if (name === '' || value.length === 0) return wrong('pair', { line })
    if (pairs.has(name)) return wrong('clash', { name })
    pairs.set(name, value.join('='))
  }
  return { value: Object.fromEntries(pairs) }
}

function numberOf(field: FormField, text: string): ParsedFieldValue {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return wrong('number')
  if (field.type === 'integer' && !Number.isSafeInteger(value)) return wrong('integer')
  const { min, max } = field
  if ((min !== undefined && value < min) || (max !== undefined && value > max)) {
    return wrong('range', { min: min ?? '', max: max ?? '' })
  }
  return { value }
}

/** Parses any JSON text. */
export function parseJsonText(text: string): ParsedFieldValue {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return wrong('json')
  }
}
