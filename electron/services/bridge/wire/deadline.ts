import type { AppError } from '../../../../shared/errors.ts'
import { createTimeoutError, type TimeoutPhase } from './wire-errors.ts'
import type { RequestLimits } from '../types.ts'

/** The three timers of one exchange: connect, idle (between bytes) and total. The first to fire calls `onExpire` once. */
export interface Deadline {
  /** The connection is being made; the idle timer has not started. */
  readonly startConnecting: () => void
  /** Something happened on the wire; restarts the idle timer. */
  readonly recordProgress: () => void
  readonly stop: () => void
}

export function startDeadline(limits: RequestLimits, host: string, onExpire: (reason: AppError) => void): Deadline {
  let phase: TimeoutPhase | null = null
  let step: NodeJS.Timeout | undefined
  let stopped = false

  function stop(): void {
    stopped = true
    clearTimeout(step)
    clearTimeout(total)
  }

  function arm(name: TimeoutPhase, ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      stop()
      onExpire(createTimeoutError(name, ms, host))
    }, ms)
  }

  function enter(next: TimeoutPhase, ms: number): void {
    if (stopped) return
    clearTimeout(step)
    phase = next
    step = arm(next, ms)
  }

  const total = arm('total', limits.totalTimeoutMs)
  return {
    startConnecting: () => enter('connect', limits.connectTimeoutMs),
    recordProgress: () => {
      if (phase === 'idle' && !stopped) step?.refresh()
      else enter('idle', limits.idleTimeoutMs)
    },
    stop,
  }
}
