import type { CellValue } from './columns.ts'
import { inOrder, type Steps } from './merge.ts'
import { byRanks, ranksOf } from './ranks.ts'

/** Up to this many rows are sorted at once; more are sorted in slices, so that no task blocks the page. */
const AT_ONCE = 4096
const SLICE_MS = 10

/** A later task, at once: a timeout of no time waits four milliseconds when it follows others. */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })

/** What the rows are sorted by: the value of each, and the direction. */
export interface SortKey {
  readonly values: readonly CellValue[]
  readonly descending: boolean
}

/**
 * Row numbers in the order of the keys, the first of which counts most: numbers before texts, numbers in texts by their size, empty values
 * always last, ties in original order. A few rows are sorted on the spot; many in slices, which yields to the page and resolves to null
 * when `signal` aborts. `locale` is English or Chinese.
 */
export function sortRows(
  keys: readonly SortKey[],
  locale: string,
  signal: AbortSignal,
): Uint32Array | Promise<Uint32Array | null> {
  const steps = sorting(keys, new Intl.Collator(locale, { numeric: true, sensitivity: 'base' }))
  if ((keys[0]?.values.length ?? 0) > AT_ONCE) return inSlices(steps, signal)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

function* sorting(keys: readonly SortKey[], collator: Intl.Collator): Steps<Uint32Array> {
  let order = inOrder(keys[0]?.values.length ?? 0)
  // The key that counts most is last, because rows that are equal by it keep the order of the others.
  for (const { values, descending } of keys.toReversed())
    order = yield* byRanks(order, yield* ranksOf(values, descending, collator))
  return order
}

async function inSlices(steps: Steps<Uint32Array>, signal: AbortSignal): Promise<Uint32Array | null> {
  let sliceStart = performance.now()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    if (performance.now() - sliceStart < SLICE_MS) continue
    await nextTask()
    if (signal.aborted) return null
    sliceStart = performance.now()
  }
}
