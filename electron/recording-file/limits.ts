import { createRecordingError } from './recording-error.ts'

/** What is larger is neither written nor opened, by whichever command. */
export const MAX_RECORDING_ENTRIES = 300_000
/** Of all parts together. */
export const MAX_RECORDING_LINES = 500_000
/** Sum of the sizes of all entries, uncompressed. */
export const MAX_RECORDING_BYTES = 8 * 1024 ** 3

/** @throws RECORDING_TOO_LARGE */
export function assertWithinLimit(unit: 'entries' | 'lines' | 'bytes', count: number): void {
  const limit = { entries: MAX_RECORDING_ENTRIES, lines: MAX_RECORDING_LINES, bytes: MAX_RECORDING_BYTES }[unit]
  if (count <= limit) return
  throw createRecordingError('RECORDING_TOO_LARGE', `A recording has at most ${limit} ${unit}; this one has more.`, {
    unit,
    limit,
  })
}
