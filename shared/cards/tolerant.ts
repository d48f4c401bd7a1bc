import { isObject } from '../json/object.ts'

/** Tolerant access to what a host sent: each function returns the value if it has the expected type, and null otherwise. */
export type Fields = Readonly<Record<string, unknown>>

export const asFields = (value: unknown): Fields | null => (isObject(value) ? value : null)
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
export const flagOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)
