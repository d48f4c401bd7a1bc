import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'

/** Phases in the order of time. `whole` is used if only the total duration is known. */
export const exchangePhaseNames = ['queue', 'connect', 'send', 'wait', 'receive', 'whole'] as const
export type ExchangePhaseName = (typeof exchangePhaseNames)[number]

export interface ExchangePhase {
  readonly name: ExchangePhaseName
  /** Milliseconds since the start of the exchange. */
  readonly start: number
  readonly end: number
}

/**
 * Returns the known phases of an exchange without gaps. The last phase ends with the exchange or,
 * if the exchange is pending, at `now` (epoch ms).
 */
export function computeExchangePhases(
  row: Pick<ExchangeRow, 'timing' | 'durationMs' | 'startedAt'>,
  now: number,
): readonly ExchangePhase[] {
  const { queued, connected, sent, firstByte, lastByte } = row.timing
  const end = Math.max(0, row.durationMs ?? lastByte ?? now - row.startedAt)
  const starts: readonly (readonly [ExchangePhaseName, number | null])[] = [
    ['queue', 0],
    ['connect', queued],
    ['send', connected],
    ['wait', sent],
    ['receive', firstByte],
  ]
  const knownStarts = starts.filter((start): start is readonly [ExchangePhaseName, number] => start[1] !== null)
  if (knownStarts.length === 1) return [{ name: 'whole', start: 0, end }]
  return knownStarts
    .map(([name, start], index) => ({
      name,
      start: Math.min(start, end),
      end: Math.min(knownStarts[index + 1]?.[1] ?? end, end),
    }))
    .filter(({ start, end }, index) => end > start || index === knownStarts.length - 1)
}

/** Start and end in epoch milliseconds; null if there are no rows. */
export function getTimeSpan(
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
