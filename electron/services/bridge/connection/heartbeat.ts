/** Minimum time between attempts on one host. @see spec §6 (at most twice a second) */
export const MIN_ATTEMPT_GAP_MS = 500
const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 10_000
const UNAUTHORIZED_BACKOFF_MS = 30_000
/** A host cannot ask for a longer wait, because the user may be waiting for a change. */
const MAX_RETRY_AFTER_MS = 300_000
/** A timer that fires this late by the wall clock means that the computer was asleep. */
const MIN_SLEEP_MS = 10_000
const MIN_MISSED_HEARTBEATS = 3

/** Milliseconds with jitter; `retryAfterSeconds` is the wait that the host asked for. */
export function computeBackoffMs(
  failures: number,
  isTokenRefused: boolean,
  retryAfterSeconds = 0,
  random = Math.random,
): number {
  const ceiling = isTokenRefused
    ? UNAUTHORIZED_BACKOFF_MS
    : Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1))
  const backoffMs = ceiling * (0.75 + random() * 0.25)
  return Math.max(backoffMs, Math.min(MAX_RETRY_AFTER_MS, retryAfterSeconds * 1_000))
}

/** Plans attempts, notices sleep, and limits how often requests are sent to a host. */
export function createHeartbeatTimer(onDue: () => void) {
  let timer: NodeJS.Timeout | undefined
  let dueAt: number | null = null
  // Monotonic: a wall clock set back by an hour would stop attempts for an hour.
  const lastAttempts = new Map<string, number>()

  function stop(): void {
    clearTimeout(timer)
    dueAt = null
  }

  return {
    /** Replaces the previous plan. Returns when the attempt is due, in epoch milliseconds. */
    schedule(ms: number): number {
      stop()
      dueAt = Date.now() + ms
      timer = setTimeout(onDue, ms)
      return dueAt
    },
    /** Clears the plan. Returns true if the computer slept through the due time. */
    beginAttempt(heartbeatMs: number): boolean {
      const lateMs = dueAt === null ? 0 : Date.now() - dueAt
      stop()
      return lateMs > Math.max(MIN_SLEEP_MS, MIN_MISSED_HEARTBEATS * heartbeatMs)
    },
    /** Milliseconds until an attempt on this host is allowed. */
    getRequiredWaitMs: (host: string): number =>
      Math.max(0, (lastAttempts.get(host) ?? -Infinity) + MIN_ATTEMPT_GAP_MS - performance.now()),
    recordAttempt(host: string): void {
      const now = performance.now()
      for (const [otherHost, timestamp] of lastAttempts)
        if (now - timestamp > MIN_ATTEMPT_GAP_MS) lastAttempts.delete(otherHost)
      lastAttempts.set(host, now)
    },
    stop,
  }
}
