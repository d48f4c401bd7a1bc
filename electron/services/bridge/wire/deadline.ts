import type { AppError } from '../../../../shared/errors.ts'
import { timeoutFailure, type TimeoutPhase } from './failure.ts'
import type { Limits } from '../types.ts'

/** The three timers of one exchange: connect, idle (between bytes) and total. The first to fire calls `onExpire` once. */
export interface Deadline {
  /** The connection is being made; the idle timer has not started. */
  readonly connecting: () => void
  /** Something happened on the wire; restarts the idle timer. */
  readonly moved: () => void
  readonly stop: () => void
}

export function startDeadline(limits: Limits, host: string, onExpire: (reason: AppError) => void): Deadline {
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
      onExpire(timeoutFailure(name, ms, host))
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
    connecting: () => enter('connect', limits.connectTimeoutMs),
    moved: () => {
      if (phase === 'idle' && !stopped) step?.refresh()
      else enter('idle', limits.idleTimeoutMs)
    },
    stop,
  }
}
