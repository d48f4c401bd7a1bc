import type { FormValues } from './command-draft.ts'
import type { FormField } from './form-fields.ts'

const isFilled = (value: FormValues[string]): boolean =>
  value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
/** Ids are filled in from where the form was opened, or generated. */
const isId = (name: string): boolean => /ids?$/i.test(name)

/**
 * The field that gets the focus first: the first required and empty one, else the first with a
 * value to change; null if there is neither.
 */
export function findInitialField(fields: readonly FormField[], values: FormValues): string | null {
  const empty = fields.find(({ name, required }) => required && !isFilled(values[name]))
  const changeable = fields.find(({ name }) => !isId(name) && isFilled(values[name]))
  return (empty ?? changeable)?.name ?? null
}
