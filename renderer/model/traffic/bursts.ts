import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'

/** A period in which exchanges follow each other closely, in epoch milliseconds. */
export interface Burst {
  readonly start: number
  readonly end: number
  readonly count: number
}

type TimedRow = Pick<ExchangeRow, 'startedAt' | 'durationMs'>

/** A longer time without any exchange under way separates two bursts. */
const BURST_GAP_MS = 500
/** A longer burst is divided at its longest pauses, because its short exchanges would be ticks. */
const MAX_BURST_MS = 10_000
/** The length of the scale of a very short burst, so that a fast exchange still looks fast. */
export const MIN_SCALE_MS = 20

/** `now` (epoch ms) is the end of exchanges that are under way. */
const getEnd = ({ startedAt, durationMs }: TimedRow, now: number): number =>
  Math.max(startedAt, durationMs === null ? now : startedAt + durationMs)

/** Divides exchanges into bursts, in the order of time. Bursts do not overlap. */
export function findBursts(rows: readonly TimedRow[], now: number): readonly Burst[] {
  const intervals = rows
    .map((row) => ({ start: row.startedAt, end: getEnd(row, now), count: 1 }))
    .sort((a, b) => a.start - b.start)
  const busy = joinIntervals(intervals, 0)
  return joinIntervals(busy, BURST_GAP_MS).flatMap((burst) =>
    divideBurst(busy.filter(({ start }) => start >= burst.start && start <= burst.end)),
  )
}

/** Joins intervals that are at most `gapMs` apart. The intervals are sorted by their start. */
function joinIntervals(intervals: readonly Burst[], gapMs: number): readonly Burst[] {
  const joined: Burst[] = []
  for (const { start, end, count } of intervals) {
    const last = joined.at(-1)
    if (last && start - last.end <= gapMs)
      joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, end), count: last.count + count }
    else joined.push({ start, end, count })
  }
  return joined
}

/** @param busy the times of a burst without the pauses between them */
function divideBurst(busy: readonly Burst[]): readonly Burst[] {
  const [first] = busy
  const last = busy.at(-1)
  if (!first || !last) return []
  if (busy.length === 1 || last.end - first.start <= MAX_BURST_MS)
    return [{ start: first.start, end: last.end, count: busy.reduce((sum, { count }) => sum + count, 0) }]
  let longest = 1
  for (let index = 2; index < busy.length; index += 1)
    if (getPauseBefore(busy, index) > getPauseBefore(busy, longest)) longest = index
  return [...divideBurst(busy.slice(0, longest)), ...divideBurst(busy.slice(longest))]
}

const getPauseBefore = (busy: readonly Burst[], index: number): number =>
  (busy[index]?.start ?? 0) - (busy[index - 1]?.end ?? 0)

/** Finds the burst in which an exchange started; null if there is none. */
export function findBurst<B extends Pick<Burst, 'start' | 'end'>>(bursts: readonly B[], startedAt: number): B | null {
  let low = 0
  let high = bursts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((bursts[middle]?.start ?? 0) <= startedAt) low = middle
    else high = middle - 1
  }
  const burst = bursts[low]
  return burst && burst.start <= startedAt && startedAt <= burst.end ? burst : null
}
