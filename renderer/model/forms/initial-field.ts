import type { FormValues } from './command-draft.ts'
import type { FormField } from './form-fields.ts'

const isFilled = (value: FormValues[string]): boolean =>
  value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
/** The form fills ids in from the place where it was opened, or generates them. */
const isId = (name: string): boolean => /ids?$/i.test(name)

/**
 * Finds the field that gets the focus first: the first required field that is empty, otherwise the
 * first field with a value to change. Returns null if there is neither.
 */
export function findInitialField(fields: readonly FormField[], values: FormValues): string | null {
  const empty = fields.find(({ name, required }) => required && !isFilled(values[name]))
  const changeable = fields.find(({ name }) => !isId(name) && isFilled(values[name]))
  return (empty ?? changeable)?.name ?? null
}
