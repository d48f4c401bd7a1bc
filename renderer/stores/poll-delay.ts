const POLL_INTERVAL_MS = 1500
const MAX_DELAY_MS = 30_000

/**
 * Milliseconds to wait before the next read of the context. The delay grows with every consecutive
 * failure and is at least three times the duration of the last read, and at least as long as the
 * host demands.
 * @param durationMs duration of the last read
 */
export function computePollDelayMs(failures: number, durationMs: number, retryAfterSeconds = 0): number {
  const backedOff = POLL_INTERVAL_MS * 2 ** Math.min(failures, 10)
  return Math.max(retryAfterSeconds * 1000, Math.min(MAX_DELAY_MS, Math.max(backedOff, 3 * durationMs)))
}
