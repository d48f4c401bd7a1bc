/** A page counts as not responding after five seconds. */
const PING_INTERVAL_MS = 1_000
const MAX_MISSED_PINGS = 5

interface WatchOptions {
  /** Settles when the page shows that it is alive. */
  readonly ping: () => Promise<unknown>
  readonly onChange: (isResponding: boolean) => void
  /** Calls `callback` at each interval. Returns a function that stops the calls. */
  readonly startInterval: (callback: () => void, intervalMs: number) => () => void
}

/**
 * Checks repeatedly whether a page responds, and reports each change. Ticks are counted instead of
 * time, so that after a sleep of the machine, or in a throttled tab, the page still gets enough
 * ticks to respond. Returns a function that stops the checks.
 */
export function watchResponsiveness({ ping, onChange, startInterval }: WatchOptions): () => void {
  let isWaiting = false
  let missed = 0
  let isResponding = true
  let isStopped = false

  const setResponding = (isResponsive: boolean): void => {
    if (isStopped || isResponsive === isResponding) return
    isResponding = isResponsive
    onChange(isResponsive)
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
    // A rejected ping belongs to a frame that was replaced. The next ping goes to the new frame.
    ping().then(onResponse, onResponse)
  }, PING_INTERVAL_MS)
  return () => {
    isStopped = true
    stop()
  }
}
