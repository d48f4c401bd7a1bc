import type { FormValues } from './command-draft.ts'
import type { FormField } from './form-fields.ts'

const isFilled = (value: FormValues[string]): boolean =>
  value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
/** Ids come from where the form was opened, or are made up for it. */
const isId = (name: string): boolean => /ids?$/i.test(name)

/**
 * The field in which a person begins: the first that is required and empty, else the first whose present value is there to be changed;
 * null if there is nothing of the kind.
 */
export function findInitialField(fields: readonly FormField[], values: FormValues): string | null {
  const empty = fields.find(({ name, required }) => required && !isFilled(values[name]))
  const changed = fields.find(({ name }) => !isId(name) && isFilled(values[name]))
  return (empty ?? changed)?.name ?? null
}
