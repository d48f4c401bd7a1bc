import { MAX_DATE_MS } from '../format/timestamp.ts'
import { parseDecimal } from './resources/shape-variants.ts'

/** `s2001` counts seconds since 2001, as on Apple's systems. */
export type HostTimeUnit = 'text' | 's' | 's2001' | 'ms' | 'us' | 'ns'

/** Hosts send times in different formats, because the contract does not show any. */
interface HostTime {
  /** Epoch milliseconds; null if the value is not a time. */
  readonly timestamp: number | null
  readonly unit: HostTimeUnit
  /** The value as sent, for display; empty if nothing was sent. */
  readonly rawText: string
}

const EPOCH_2001_MS = 978_307_200_000
const DATE_PATTERN = /^(?:[+-]\d{6}|\d{4})[-/.]\d{1,2}|^[A-Z][a-z]{2}, \d/

/**
 * The size of a number tells whether it counts seconds, milliseconds, microseconds or nanoseconds
 * since 1970. Numbers that are seconds before September 2001 but fall between 2010 and 2032 if
 * counted from 2001 are taken as seconds since 2001.
 */
export function parseHostTime(value: unknown): HostTime {
  if (typeof value !== 'string' && typeof value !== 'number') return { timestamp: null, unit: 'text', rawText: '' }
  const rawText = String(value)
  const number = typeof value === 'number' ? value : value.length > 8 ? parseDecimal(value) : undefined
  if (number === undefined) {
    const timestamp = DATE_PATTERN.test(rawText) ? Date.parse(rawText) : Number.NaN
    return { timestamp: Number.isNaN(timestamp) ? null : timestamp, unit: 'text', rawText }
  }
  const unit = unitOf(number)
  const timestamp = unit === 's2001' ? EPOCH_2001_MS + number * 1_000 : number * MS_PER_UNIT[unit]
  return { timestamp: Math.abs(timestamp) <= MAX_DATE_MS ? timestamp : null, unit, rawText }
}

const MS_PER_UNIT = { s: 1_000, ms: 1, us: 1e-3, ns: 1e-6 } as const

function unitOf(number: number): Exclude<HostTimeUnit, 'text'> {
  if (number >= 3e8 && number < 1e9) return 's2001'
  const size = Math.abs(number)
  return size < 1e11 ? 's' : size < 1e14 ? 'ms' : size < 1e17 ? 'us' : 'ns'
}
