/** Attempts on one host are never closer together than this, whatever users and failing requests ask for: at most twice a second (spec §6). */
export const LEAST_MS = 500
const BACKOFF_FIRST_MS = 500
const BACKOFF_LONGEST_MS = 10_000
const UNAUTHORIZED_MS = 30_000
/** The maximum wait that a host can ask for: the user sees the state and may be waiting for it. */
const ASKED_LONGEST_MS = 300_000
/** A timer this late by the wall clock was not slow: the machine was asleep. */
const SLEPT_LEAST_MS = 10_000
const SLEPT_BEATS = 3

/** How long to wait after this many failures in a row, in milliseconds, with jitter. */
export function backoff(failures: number, refusedToken: boolean, askedSeconds = 0, random = Math.random): number {
  const ceiling = refusedToken ? UNAUTHORIZED_MS : Math.min(BACKOFF_LONGEST_MS, BACKOFF_FIRST_MS * 2 ** (failures - 1))
  const own = ceiling * (0.75 + random() * 0.25)
  return Math.max(own, Math.min(ASKED_LONGEST_MS, askedSeconds * 1_000))
}

/** When the next attempt is due, how late it came, and how long to wait so as not to flood the host. */
interface Pulse {
  /** Calls back after `ms`, replacing what was planned before. Returns when that will be, in epoch milliseconds. */
  plan(ms: number): number
  /** Takes the planned attempt, so that none is left. Returns true if the machine slept through the time it was due. */
  take(heartbeatMs: number): boolean
  /** Milliseconds until this host may be asked again. */
  owed(host: string): number
  /** Records that this host is being asked now. */
  asked(host: string): void
  stop(): void
}

export function createPulse(due: () => void): Pulse {
  let timer: NodeJS.Timeout | undefined
  let dueAt: number | null = null
  // Not by the wall clock: if that were set back by an hour, a host would not be asked for an hour.
  const lastAsked = new Map<string, number>()

  function stop(): void {
    clearTimeout(timer)
    dueAt = null
  }

  return {
    plan(ms) {
      stop()
      dueAt = Date.now() + ms
      timer = setTimeout(due, ms)
      return dueAt
    },
    take(heartbeatMs) {
      const late = dueAt === null ? 0 : Date.now() - dueAt
      stop()
      return late > Math.max(SLEPT_LEAST_MS, SLEPT_BEATS * heartbeatMs)
    },
    owed: (host) => Math.max(0, (lastAsked.get(host) ?? -Infinity) + LEAST_MS - performance.now()),
    asked(host) {
      const now = performance.now()
      for (const [other, at] of lastAsked) if (now - at > LEAST_MS) lastAsked.delete(other)
      lastAsked.set(host, now)
    },
    stop,
  }
}
