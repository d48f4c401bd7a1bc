import { createRecordingError } from './recording-error.ts'

/** A larger recording is neither written nor opened, by whichever command. */
export const recordingLimits = {
  entries: 300_000,
  /** Serving or showing a recording takes some two kilobytes of memory for each exchange. */
  exchanges: 100_000,
  /** Lines of all parts together. */
  lines: 500_000,
  /** Sum of the sizes of all entries, uncompressed. */
  bytes: 8 * 1024 ** 3,
}

/** @throws RECORDING_TOO_LARGE */
export function assertWithinLimit(unit: keyof typeof recordingLimits, count: number): void {
  const limit = recordingLimits[unit]
  if (count <= limit) return
  throw createRecordingError('RECORDING_TOO_LARGE', `A recording has at most ${limit} ${unit}; this one has more.`, {
    unit,
    limit,
  })
}
