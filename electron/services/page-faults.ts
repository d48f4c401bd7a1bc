import type { PageFault } from '../../shared/ipc/app.ts'
import type { Log } from './log.ts'

/** Faults of pages that are written down in a minute: one that comes with every frame says nothing new. */
const A_MINUTE = 20
const MINUTE_MS = 60_000

/** What pages report of their own faults, into the log; what is too much is counted. `now` in milliseconds, rising. */
export function createPageFaults(log: Log, now: () => number = () => performance.now()): (fault: PageFault) => void {
  let began = Number.NEGATIVE_INFINITY
  let written = 0
  let unwritten = 0
  return ({ kind, message, stack, where }) => {
    if (now() - began >= MINUTE_MS) {
      if (unwritten > 0) log.warn('the page met more errors than are written down', { count: unwritten })
      began = now()
      written = 0
      unwritten = 0
    }
    if (written >= A_MINUTE) {
      unwritten += 1
      return
    }
    written += 1
    log.error('the page met an error', { kind, where, reason: stack || message })
  }
}
