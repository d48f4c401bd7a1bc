import { settingsSchema, type Settings } from '../../../shared/ipc/settings.ts'

const BYTES_PER_MB = 1024 * 1024

/** Each number with its unit, and the factor from the unit to the stored value. */
const definitions = [
  ['treePageSize', 'cards', 1],
  ['connectTimeoutMs', 'seconds', 1000],
  ['idleTimeoutMs', 'seconds', 1000],
  ['totalTimeoutMs', 'seconds', 1000],
  ['heartbeatMs', 'seconds', 1000],
  ['responseLimitBytes', 'megabytes', BYTES_PER_MB],
  ['imageMegapixels', 'megapixels', 1],
  ['treeMaxCards', 'cards', 1],
  ['treeEmptyPages', 'pages', 1],
  ['guideBytes', 'megabytes', BYTES_PER_MB],
  ['journalKeepDays', 'days', 1],
  ['journalMaxMb', 'megabytes', 1],
  ['trafficKeepDays', 'days', 1],
  ['trafficMaxMb', 'megabytes', 1],
  ['trafficBodyMb', 'megabytes', 1],
  ['snapshotKeepDays', 'days', 1],
  ['snapshotMaxMb', 'megabytes', 1],
] as const satisfies readonly (readonly [keyof Settings, string, number])[]

/** A setting that is a number. The page may show it in another unit than the stored one. */
export interface NumericSetting {
  readonly key: (typeof definitions)[number][0]
  readonly unit: (typeof definitions)[number][1]
  readonly scale: number
  /** Both bounds are inclusive and in the unit that the page shows. */
  readonly min: number
  readonly max: number
}

export const numericSettings = definitions.map(([key, unit, scale]): NumericSetting => {
  // The schema is the single definition of each range.
  const { minValue, maxValue } = settingsSchema.shape[key]
  return { key, unit, scale, min: (minValue ?? 0) / scale, max: (maxValue ?? Number.MAX_SAFE_INTEGER) / scale }
})

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
