import type { AppError } from '../../../../shared/errors.ts'
import { createTimeoutError, type TimeoutPhase } from './wire-errors.ts'
import type { RequestLimits } from '../types.ts'

/** The limits connect, idle (between bytes) and total; the first to expire calls `onExpire`. */
export interface Deadline {
  /** Starts the connect limit; the idle limit starts with the first progress. */
  readonly startConnecting: () => void
  /** Restarts the idle limit after bytes have moved. */
  readonly recordProgress: () => void
  readonly stop: () => void
}

export function startDeadline(limits: RequestLimits, host: string, onExpire: (reason: AppError) => void): Deadline {
  let phase: TimeoutPhase | null = null
  let phaseTimer: NodeJS.Timeout | undefined
  let isStopped = false

  function stop(): void {
    isStopped = true
    clearTimeout(phaseTimer)
    clearTimeout(totalTimer)
  }

  function startTimer(name: TimeoutPhase, ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      stop()
      onExpire(createTimeoutError(name, ms, host))
    }, ms)
  }

  function enterPhase(next: TimeoutPhase, ms: number): void {
    if (isStopped) return
    clearTimeout(phaseTimer)
    phase = next
    phaseTimer = startTimer(next, ms)
  }

  const totalTimer = startTimer('total', limits.totalTimeoutMs)
  return {
    startConnecting: () => enterPhase('connect', limits.connectTimeoutMs),
    recordProgress: () => {
      if (phase === 'idle' && !isStopped) phaseTimer?.refresh()
      else enterPhase('idle', limits.idleTimeoutMs)
    },
    stop,
  }
}
