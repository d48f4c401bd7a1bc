/** False for null and arrays. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Checks own properties only, because a foreign name may be `constructor`. */
export function lookUp<Value>(table: Readonly<Partial<Record<string, Value>>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

export function getMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}

/** Returns a text that is not empty; null for anything else. */
export function toNonEmptyText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
