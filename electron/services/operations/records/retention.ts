import type { Records } from './records.ts'

export interface Retention {
  readonly keepDays: number
  readonly maxMb: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Keeps the journal within its limits, at startup and once an hour. Returns a function that stops it. */
export function prunes(records: Records, retention: () => Retention, onError: (error: unknown) => void): () => void {
  function prune(): void {
    const { keepDays, maxMb } = retention()
    try {
      records.clear(Date.now() - keepDays * DAY_MS)
      records.shrink(maxMb * 1024 * 1024)
    } catch (error) {
      // Keeping more loses nothing, and a journal that cannot be written refuses the next write anyway.
      onError(error)
    }
  }
  prune()
  const timer = setInterval(prune, HOUR_MS).unref()
  return () => clearInterval(timer)
}
