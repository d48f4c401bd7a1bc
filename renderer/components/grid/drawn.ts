import { computed, type ComputedRef } from 'vue'
import { recycler } from '../recycle.ts'

interface DrawnRow<Row> {
  readonly index: number
  /** Pixels from the top of the list. */
  readonly y: number
  readonly row: Row
  readonly key: string | number
  /** Key of its elements, which pass from row to row while the list is scrolled. */
  readonly element: number
}

/** The rows to draw at these positions. `list` is what they are of: after it has changed, no row takes over the elements of another. */
export function useDrawnRows<Row>(
  items: () => readonly { row: number; y: number }[],
  rowAt: (position: number) => Row | undefined,
  keyOf: (row: Row) => string | number,
  list: () => unknown,
): ComputedRef<readonly DrawnRow<Row>[]> {
  const recycled = recycler<string | number>()
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
    return drawn.map(({ index, y, row, key }, at) => ({ index, y, row, key, element: elements[at] ?? at }))
  })
}
