import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'

/** Ordered by time. `unmeasured`: phases are unknown; `whole`: only the duration is known. */
export const exchangePhaseNames = ['queue', 'connect', 'send', 'wait', 'receive', 'unmeasured', 'whole'] as const
export type ExchangePhaseName = (typeof exchangePhaseNames)[number]

export interface ExchangePhase {
  readonly name: ExchangePhaseName
  /** Milliseconds since the start of the exchange. */
  readonly start: number
  readonly end: number
}

/**
 * Returns the phases of an exchange without gaps. A phase is known only if both of its ends were
 * measured. The last phase ends with the exchange or, if the exchange is pending, at `now` (epoch
 * ms).
 */
export function computeExchangePhases(
  row: Pick<ExchangeRow, 'timing' | 'durationMs' | 'startedAt' | 'state'>,
  now: number,
): readonly ExchangePhase[] {
  const { queued, connected, sent, firstByte, lastByte } = row.timing
  const end = Math.max(0, row.durationMs ?? lastByte ?? now - row.startedAt)
  const moments = [0, queued, connected, sent, firstByte, lastByte ?? end]
  const phaseNames = ['queue', 'connect', 'send', 'wait', 'receive'] as const
  const reached = moments.slice(0, -1).findLastIndex((moment) => moment !== null)
  if (reached === 0) return [{ name: 'whole', start: 0, end }]
  const hasEnded = row.state === 'answered' && row.durationMs !== null
  const phases: ExchangePhase[] = []
  let start = 0
  for (let index = 1; index < moments.length; index += 1) {
    const moment = moments[index] ?? null
    const isLast = index === moments.length - 1
    if (moment === null) continue
    const isMeasured = moments[index - 1] !== null
    // Without a response, the exchange ended in the phase that it had reached.
    const name = isMeasured ? phaseNames[index - 1] : isLast && !hasEnded ? phaseNames[reached] : 'unmeasured'
    const phaseEnd = isLast ? end : Math.min(moment, end)
    const last = phases.at(-1)
    if (last?.name === 'unmeasured' && name === 'unmeasured') phases[phases.length - 1] = { ...last, end: phaseEnd }
    else if (name !== undefined && (phaseEnd > start || isLast))
      phases.push({ name, start: Math.min(start, end), end: phaseEnd })
    start = Math.max(start, phaseEnd)
  }
  return phases
}

/** Start and end in epoch milliseconds; null if there are no rows. */
export function computeTimeSpan(
  rows: readonly Pick<ExchangeRow, 'startedAt' | 'durationMs'>[],
  now: number,
): readonly [from: number, to: number] | null {
  if (rows.length === 0) return null
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  for (const { startedAt, durationMs } of rows) {
    from = Math.min(from, startedAt)
    to = Math.max(to, durationMs === null ? now : startedAt + durationMs)
  }
  return [from, Math.max(to, from + 1)]
}
