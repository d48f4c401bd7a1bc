/** What a host sent may differ from the contract: these take the value where it has the type, and null where it does not. */
export type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
export const flagOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)
