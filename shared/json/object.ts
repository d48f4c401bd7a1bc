/** Whether a value is an object with members: neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Looks up a foreign name, which may be `constructor`, in a table. */
export const lookUp = <Value>(table: Readonly<Partial<Record<string, Value>>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** An own member of an object; undefined if there is none. */
export function getMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}

/** The text, if the value is one and is not empty; null otherwise. */
export const toNonEmptyText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null
