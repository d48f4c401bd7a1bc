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
  | 'snapshotKeepDays'
  | 'snapshotMaxMb'

/** A setting that is a number. The page may show it in another unit than the stored one. */
export interface NumericSetting {
  readonly key: NumberKey & keyof Settings
  readonly unit: 'seconds' | 'megabytes' | 'megapixels' | 'cards' | 'pages' | 'days'
  /** Factor from the unit to the stored value. */
  readonly scale: number
  /** Both bounds are inclusive and in the unit that the page shows. */
  readonly min: number
  readonly max: number
}

const BYTES_PER_MB = 1024 * 1024

function createNumericSetting(key: NumberKey, unit: NumericSetting['unit'], scale: number): NumericSetting {
  // The schema is the single definition of each range.
  const { minValue, maxValue } = settingsSchema.shape[key]
  return { key, unit, scale, min: (minValue ?? 0) / scale, max: (maxValue ?? Number.MAX_SAFE_INTEGER) / scale }
}

export const numericSettings: readonly NumericSetting[] = [
  createNumericSetting('treePageSize', 'cards', 1),
  createNumericSetting('connectTimeoutMs', 'seconds', 1000),
  createNumericSetting('idleTimeoutMs', 'seconds', 1000),
  createNumericSetting('totalTimeoutMs', 'seconds', 1000),
  createNumericSetting('heartbeatMs', 'seconds', 1000),
  createNumericSetting('responseLimitBytes', 'megabytes', BYTES_PER_MB),
  createNumericSetting('imageMegapixels', 'megapixels', 1),
  createNumericSetting('treeMaxCards', 'cards', 1),
  createNumericSetting('treeEmptyPages', 'pages', 1),
  createNumericSetting('guideBytes', 'megabytes', BYTES_PER_MB),
  createNumericSetting('journalKeepDays', 'days', 1),
  createNumericSetting('journalMaxMb', 'megabytes', 1),
  createNumericSetting('trafficKeepDays', 'days', 1),
  createNumericSetting('trafficMaxMb', 'megabytes', 1),
  createNumericSetting('trafficBodyMb', 'megabytes', 1),
  createNumericSetting('snapshotKeepDays', 'days', 1),
  createNumericSetting('snapshotMaxMb', 'megabytes', 1),
]

/** Returns null if the text is not a number in range. */
export function parseSettingValue({ scale, min, max }: NumericSetting, input: string): number | null {
  const text = input.trim().replace(',', '.')
  if (!/^\d+(\.\d+)?$/.test(text)) return null
  const value = Number(text)
  if (value < min || value > max) return null
  return Math.round(value * scale)
}

/** Formats a stored value in the setting's unit, with at most three decimals. */
export function formatSettingValue({ scale }: NumericSetting, stored: number): string {
  return String(Math.round((stored / scale) * 1000) / 1000)
}
