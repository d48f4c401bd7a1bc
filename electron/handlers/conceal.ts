/**
 * A value for the page with every known token taken out of its texts: hosts echo what they were sent, also in places that
 * nobody thought of, and later, when they are asked without it. Bytes stay as the host sent them.
 */
export function concealed(value: unknown, conceal: (text: string) => string): unknown {
  if (typeof value === 'string') return conceal(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value
  if (Array.isArray(value)) return value.map((item) => concealed(item, conceal))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [conceal(key), concealed(member, conceal)]))
}
