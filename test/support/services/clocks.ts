import { onTestFinished, vi } from 'vitest'

/** Rules that are broken only by calls that follow each other within a short time. */
export const hastyRules: ReadonlySet<string> = new Set([
  'retry-too-early',
  'read-burst',
  'polling-too-fast',
  'batch-of-one',
])

/** At this rate, calls that follow each other do so at once, however busy the machine is. */
export const HASTY_RATE = 0.02

/**
 * Replaces the clocks of this process until the test ends. They run `rate` times as fast as before
 * and can be moved; timers run as ever.
 */
export function mockClocks(initialRate = 1): { setRate: (rate: number) => void; advance: (ms: number) => void } {
  const now = performance.now.bind(performance)
  const offsetMs = Date.now() - now()
  let [rate, startMs, elapsedMs] = [initialRate, now(), now()]
  const readMs = (): number => elapsedMs + (now() - startMs) * rate
  const clocks = [
    vi.spyOn(performance, 'now').mockImplementation(readMs),
    vi.spyOn(Date, 'now').mockImplementation(() => Math.round(readMs() + offsetMs)),
  ]
  onTestFinished(() => {
    for (const clock of clocks) clock.mockRestore()
  })
  return {
    setRate: (next) => void ([elapsedMs, startMs, rate] = [readMs(), now(), next]),
    advance: (ms) => void (elapsedMs += ms),
  }
}
