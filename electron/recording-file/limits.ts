import { createRecordingError } from './recording-error.ts'

/** A larger recording is neither written nor opened, by whichever command. */
export const MAX_RECORDING_ENTRIES = 300_000
/** Who serves or shows a recording holds what tells them apart: some two kilobytes for each. */
export const MAX_RECORDING_EXCHANGES = 100_000
/** Of all parts together. */
export const MAX_RECORDING_LINES = 500_000
/** Sum of the sizes of all entries, uncompressed. */
export const MAX_RECORDING_BYTES = 8 * 1024 ** 3

const limits = {
  entries: MAX_RECORDING_ENTRIES,
  exchanges: MAX_RECORDING_EXCHANGES,
  lines: MAX_RECORDING_LINES,
  bytes: MAX_RECORDING_BYTES,
}

/** @throws RECORDING_TOO_LARGE */
export function assertWithinLimit(unit: keyof typeof limits, count: number): void {
  const limit = limits[unit]
  if (count <= limit) return
  throw createRecordingError('RECORDING_TOO_LARGE', `A recording has at most ${limit} ${unit}; this one has more.`, {
    unit,
    limit,
  })
}
