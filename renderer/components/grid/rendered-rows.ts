import { computed, type ComputedRef } from 'vue'
import { createKeyRecycler } from '../key-recycler.ts'

interface RenderedRow<Row> {
  readonly index: number
  /** Pixels from the top of the list. */
  readonly y: number
  readonly row: Row
  readonly key: string | number
  /** Key of its elements, which pass from row to row while the list is scrolled. */
  readonly elementKey: number
}

/** The rows to draw at these positions. `list` is what they are of: after it has changed, no row takes over the elements of another. */
export function useRenderedRows<Row>(
  items: () => readonly { row: number; y: number }[],
  rowAt: (position: number) => Row | undefined,
  keyOf: (row: Row) => string | number,
  list: () => unknown,
): ComputedRef<readonly RenderedRow<Row>[]> {
  const recycled = createKeyRecycler<string | number>()
  return computed(() => {
    const taken = new Set<string | number>()
    const drawn = items().flatMap(({ row: index, y }) => {
      const row = rowAt(index)
      if (row === undefined) return []
      const key = keyOf(row)
      // A host may send the same id twice; such rows are keyed by position.
      const unique = taken.has(key) ? `\0${index}` : key
      taken.add(unique)
      return [{ index, y, row, key, unique }]
    })
    const elements = recycled(
      drawn.map(({ unique }) => unique),
      list(),
    )
    return drawn.map(({ index, y, row, key }, at) => ({ index, y, row, key, elementKey: elements[at] ?? at }))
  })
}
