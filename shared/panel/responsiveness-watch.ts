/** How often a page is asked for a sign of life, and after how many times without one it is said not to respond: five seconds. */
const PING_INTERVAL_MS = 1_000
const MAX_MISSED_PINGS = 5

interface WatchOptions {
  /** Resolves or rejects with the next sign of life. */
  readonly ping: () => Promise<unknown>
  readonly onChange: (isResponding: boolean) => void
  /** Calls back in these milliseconds, again and again; returns how to stop that. */
  readonly startInterval: (callback: () => void, intervalMs: number) => () => void
}

/**
 * Asks a page again and again whether it responds, and reports each change. Turns of a timer are counted and not time: after a sleep of the
 * machine, or in a tab that a browser slows down, the page gets as many turns to respond. Returns how to end it.
 */
export function watchResponsiveness({ ping, onChange, startInterval }: WatchOptions): () => void {
  let isWaiting = false
  let missed = 0
  let isResponding = true
  let isStopped = false

  const setResponding = (next: boolean): void => {
    if (isStopped || next === isResponding) return
    isResponding = next
    onChange(next)
  }
  const onResponse = (): void => {
    isWaiting = false
    missed = 0
    setResponding(true)
  }
  const stop = startInterval(() => {
    if (isWaiting) {
      missed += 1
      if (missed >= MAX_MISSED_PINGS) setResponding(false)
      return
    }
    isWaiting = true
    // A frame that is gone was replaced by another one, which is asked next.
    ping().then(onResponse, onResponse)
  }, PING_INTERVAL_MS)
  return () => {
    isStopped = true
    stop()
  }
}
