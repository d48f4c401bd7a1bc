import { isObject } from '../json/object.ts'

/** What a host sent may differ from the contract: these take the value where it has the type, and null where it does not. */
export type Fields = Readonly<Record<string, unknown>>

export const asFields = (value: unknown): Fields | null => (isObject(value) ? value : null)
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
export const flagOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)
