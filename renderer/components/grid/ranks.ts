import type { CellValue } from './columns.ts'
import { textComparison } from './collation.ts'
import { mergeSorted, type Steps } from './merge.ts'

/** The place of each row by one key: rows with equal values share one. */
export interface Ranks {
  readonly ranks: Uint32Array
  /** Every rank is smaller. */
  readonly count: number
}

const STRIDE = 4096

/** Ranks of values: numbers before texts, turned round if `descending`; empty values last in both directions. */
export function* ranksOf(values: readonly CellValue[], descending: boolean, collator: Intl.Collator): Steps<Ranks> {
  const ranks = new Uint32Array(values.length)
  const numbers: number[] = []
  const texts: string[] = []
  // Each value is compared once, however many rows have it.
  const numberIds = new Map<number, number>()
  const textIds = new Map<string, number>()
  for (let row = 0; row < values.length; row += 1) {
    const value = values[row] ?? null
    if (typeof value === 'number') ranks[row] = idOf(value, numbers, numberIds)
    else if (value !== null) ranks[row] = idOf(value, texts, textIds)
    if (row % STRIDE === 0) yield
  }

  const numberRanks = new Uint32Array(numbers.length)
  const textRanks = new Uint32Array(texts.length)
  let count = 0
  for (const id of yield* mergeSorted(numbers.length, (a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0))) {
    numberRanks[id] = count
    count += 1
  }
  const compare = yield* textComparison(texts, collator)
  let before: number | null = null
  for (const id of yield* mergeSorted(texts.length, compare)) {
    if (before !== null && compare(before, id) !== 0) count += 1
    textRanks[id] = count
    before = id
  }
  if (before !== null) count += 1

  for (let row = 0; row < values.length; row += 1) {
    const value = values[row] ?? null
    const rank = (typeof value === 'number' ? numberRanks : textRanks)[ranks[row] ?? 0] ?? 0
    ranks[row] = value === null ? count : descending ? count - 1 - rank : rank
    if (row % STRIDE === 0) yield
  }
  return { ranks, count: count + 1 }
}

function idOf<Value>(value: Value, all: Value[], ids: Map<Value, number>): number {
  const known = ids.get(value)
  if (known !== undefined) return known
  ids.set(value, all.length)
  return all.push(value) - 1
}

/** Rows put in the order of their ranks; those of equal rank stay in the order they have. */
export function* byRanks(order: Uint32Array, { ranks, count }: Ranks): Steps<Uint32Array> {
  const next = new Uint32Array(count + 1)
  for (const rank of ranks) next[rank + 1] = (next[rank + 1] ?? 0) + 1
  for (let rank = 1; rank <= count; rank += 1) next[rank] = (next[rank] ?? 0) + (next[rank - 1] ?? 0)
  const sorted = new Uint32Array(order.length)
  for (let at = 0; at < order.length; at += 1) {
    const row = order[at] ?? 0
    const rank = ranks[row] ?? 0
    const to = next[rank] ?? 0
    sorted[to] = row
    next[rank] = to + 1
    if (at % STRIDE === 0) yield
  }
  return sorted
}
