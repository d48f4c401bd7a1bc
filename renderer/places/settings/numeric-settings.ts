import { settingsSchema, type Settings } from '../../../shared/ipc/settings.ts'

type NumberKey =
  | 'treePageSize'
  | 'connectTimeoutMs'
  | 'idleTimeoutMs'
  | 'totalTimeoutMs'
  | 'heartbeatMs'
  | 'responseLimitBytes'
  | 'imageMegapixels'
  | 'treeMaxCards'
  | 'treeEmptyPages'
  | 'guideBytes'
  | 'journalKeepDays'
  | 'journalMaxMb'
  | 'trafficKeepDays'
  | 'trafficMaxMb'
  | 'trafficBodyMb'

/** A numeric setting, in the unit users think in. */
export interface NumericSetting {
  readonly key: NumberKey & keyof Settings
  readonly unit: 'seconds' | 'megabytes' | 'megapixels' | 'cards' | 'pages' | 'days'
  /** Stored value per unit. */
  readonly scale: number
  /** In the unit shown, inclusive. */
  readonly min: number
  readonly max: number
}

const MB = 1024 * 1024

function setting(key: NumberKey, unit: NumericSetting['unit'], scale: number): NumericSetting {
  // The schema is the single definition of each range.
  const { minValue, maxValue } = settingsSchema.shape[key]
  return { key, unit, scale, min: (minValue ?? 0) / scale, max: (maxValue ?? Number.MAX_SAFE_INTEGER) / scale }
}

export const numericSettings: readonly NumericSetting[] = [
  setting('treePageSize', 'cards', 1),
  setting('connectTimeoutMs', 'seconds', 1000),
  setting('idleTimeoutMs', 'seconds', 1000),
  setting('totalTimeoutMs', 'seconds', 1000),
  setting('heartbeatMs', 'seconds', 1000),
  setting('responseLimitBytes', 'megabytes', MB),
  setting('imageMegapixels', 'megapixels', 1),
  setting('treeMaxCards', 'cards', 1),
  setting('treeEmptyPages', 'pages', 1),
  setting('guideBytes', 'megabytes', MB),
  setting('journalKeepDays', 'days', 1),
  setting('journalMaxMb', 'megabytes', 1),
  setting('trafficKeepDays', 'days', 1),
  setting('trafficMaxMb', 'megabytes', 1),
  setting('trafficBodyMb', 'megabytes', 1),
]

/** The stored value of the typed text, or null if it is not a number in range. */
export function parseSettingValue({ scale, min, max }: NumericSetting, typed: string): number | null {
  const text = typed.trim().replace(',', '.')
  if (!/^\d+(\.\d+)?$/.test(text)) return null
  const value = Number(text)
  if (value < min || value > max) return null
  return Math.round(value * scale)
}

/** A stored value for display: at most three decimals. */
export function formatSettingValue({ scale }: NumericSetting, stored: number): string {
  return String(Math.round((stored / scale) * 1000) / 1000)
}
