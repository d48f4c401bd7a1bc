import type { PageFault } from '../../shared/ipc/app.ts'
import type { Log } from './log.ts'

/** How many page faults are logged per minute: one that recurs with every frame says nothing new. */
const A_MINUTE = 20
const MINUTE_MS = 60_000

/** Logs the faults that pages report, and counts those beyond the limit. `now` returns rising milliseconds. */
export function createPageFaults(log: Log, now: () => number = () => performance.now()): (fault: PageFault) => void {
  let began = Number.NEGATIVE_INFINITY
  let written = 0
  let unwritten = 0
  return ({ kind, message, stack, where }) => {
    if (now() - began >= MINUTE_MS) {
      if (unwritten > 0) log.warn('the page reported more errors than are logged', { count: unwritten })
      began = now()
      written = 0
      unwritten = 0
    }
    if (written >= A_MINUTE) {
      unwritten += 1
      return
    }
    written += 1
    log.error('the page reported an error', { kind, where, reason: stack || message })
  }
}
