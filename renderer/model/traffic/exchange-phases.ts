import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'

/** What an exchange was waiting for, in order. `whole`: nothing is known but how long it took. */
export const exchangePhaseNames = ['queue', 'connect', 'send', 'wait', 'receive', 'whole'] as const
export type ExchangePhaseName = (typeof exchangePhaseNames)[number]

export interface ExchangePhase {
  readonly name: ExchangePhaseName
  /** Milliseconds after the exchange began. */
  readonly start: number
  readonly end: number
}

/** The phases of an exchange, as far as they are known, without gaps; the last one ends where the exchange did, or at `now`. */
export function computeExchangePhases(
  row: Pick<ExchangeRow, 'timing' | 'durationMs' | 'startedAt'>,
  now: number,
): readonly ExchangePhase[] {
  const { queued, connected, sent, firstByte, lastByte } = row.timing
  const end = Math.max(0, row.durationMs ?? lastByte ?? now - row.startedAt)
  const begins: readonly (readonly [ExchangePhaseName, number | null])[] = [
    ['queue', 0],
    ['connect', queued],
    ['send', connected],
    ['wait', sent],
    ['receive', firstByte],
  ]
  const known = begins.filter((one): one is readonly [ExchangePhaseName, number] => one[1] !== null)
  if (known.length === 1) return [{ name: 'whole', start: 0, end }]
  return known
    .map(([name, start], at) => ({ name, start: Math.min(start, end), end: Math.min(known[at + 1]?.[1] ?? end, end) }))
    .filter(({ start, end: stop }, at) => stop > start || at === known.length - 1)
}

/** The span that rows cover, in epoch milliseconds; null for none. */
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
