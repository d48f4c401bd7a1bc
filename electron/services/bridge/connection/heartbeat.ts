/** Attempts on one host are never closer together than this, whatever users and failing requests ask for: at most twice a second (spec §6). */
export const MIN_ATTEMPT_GAP_MS = 500
const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 10_000
const UNAUTHORIZED_MS = 30_000
/** The maximum wait that a host can ask for: the user sees the state and may be waiting for it. */
const MAX_RETRY_AFTER_MS = 300_000
/** A timer this late by the wall clock was not slow: the machine was asleep. */
const MIN_SLEEP_MS = 10_000
const MIN_MISSED_BEATS = 3

/** How long to wait after this many failures in a row, in milliseconds, with jitter. */
export function computeBackoffMs(
  failures: number,
  refusedToken: boolean,
  askedSeconds = 0,
  random = Math.random,
): number {
  const ceiling = refusedToken ? UNAUTHORIZED_MS : Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1))
  const own = ceiling * (0.75 + random() * 0.25)
  return Math.max(own, Math.min(MAX_RETRY_AFTER_MS, askedSeconds * 1_000))
}

/** When the next attempt is due, how late it came, and how long to wait so as not to flood the host. */
interface HeartbeatTimer {
  /** Calls back after `ms`, replacing what was planned before. Returns when that will be, in epoch milliseconds. */
  schedule(ms: number): number
  /** Takes the planned attempt, so that none is left. Returns true if the machine slept through the time it was due. */
  beginAttempt(heartbeatMs: number): boolean
  /** Milliseconds until this host may be asked again. */
  getRequiredWaitMs(host: string): number
  /** Records that this host is being asked now. */
  recordAttempt(host: string): void
  stop(): void
}

export function createHeartbeatTimer(due: () => void): HeartbeatTimer {
  let timer: NodeJS.Timeout | undefined
  let dueAt: number | null = null
  // Not by the wall clock: if that were set back by an hour, a host would not be asked for an hour.
  const lastAsked = new Map<string, number>()

  function stop(): void {
    clearTimeout(timer)
    dueAt = null
  }

  return {
    schedule(ms) {
      stop()
      dueAt = Date.now() + ms
      timer = setTimeout(due, ms)
      return dueAt
    },
    beginAttempt(heartbeatMs) {
      const late = dueAt === null ? 0 : Date.now() - dueAt
      stop()
      return late > Math.max(MIN_SLEEP_MS, MIN_MISSED_BEATS * heartbeatMs)
    },
    getRequiredWaitMs: (host) =>
      Math.max(0, (lastAsked.get(host) ?? -Infinity) + MIN_ATTEMPT_GAP_MS - performance.now()),
    recordAttempt(host) {
      const now = performance.now()
      for (const [other, at] of lastAsked) if (now - at > MIN_ATTEMPT_GAP_MS) lastAsked.delete(other)
      lastAsked.set(host, now)
    },
    stop,
  }
}
