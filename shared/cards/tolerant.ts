import { isObject } from '../json/object.ts'
import { flagIn, numberIn } from '../bridge/resources/lenient.ts'

/**
 * Tolerant access to what a host sent: each function returns the value if it has the expected type or is a text that holds one, and null
 * otherwise.
 */
export type Fields = Readonly<Record<string, unknown>>

export const asFields = (value: unknown): Fields | null => (isObject(value) ? value : null)
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
export function numberOf(value: unknown): number | null {
  if (typeof value === 'string') return numberIn(value) ?? null
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
export function flagOf(value: unknown): boolean | null {
  if (typeof value === 'string') return flagIn(value) ?? null
  return typeof value === 'boolean' ? value : null
}
