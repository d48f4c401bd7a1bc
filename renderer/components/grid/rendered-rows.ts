import { computed, type ComputedRef } from 'vue'
import { createKeyRecycler } from '../key-recycler.ts'

interface RenderedRow<Row> {
  readonly index: number
  /** The distance in pixels from the top of the list. */
  readonly y: number
  readonly row: Row
  readonly key: string | number
  /** Key of the row's elements, which are reused for different rows during scrolling. */
  readonly elementKey: number
}

/** When `list` changes, rows do not reuse elements of other rows. */
export function useRenderedRows<Row>(
  items: () => readonly { row: number; y: number }[],
  getRow: (position: number) => Row | undefined,
  keyOf: (row: Row) => string | number,
  list: () => unknown,
): ComputedRef<readonly RenderedRow<Row>[]> {
  const recycleKeys = createKeyRecycler<string | number>()
  return computed(() => {
    const usedKeys = new Set<string | number>()
    const rendered = items().flatMap(({ row: index, y }) => {
      const row = getRow(index)
      if (row === undefined) return []
      const key = keyOf(row)
      // A host may send the same id twice. The key of such rows contains their position.
      const uniqueKey = usedKeys.has(key) ? `\0${index}` : key
      usedKeys.add(uniqueKey)
      return [{ index, y, row, key, unique: uniqueKey }]
    })
    const elementKeys = recycleKeys(
      rendered.map(({ unique }) => unique),
      list(),
    )
    return rendered.map(({ index, y, row, key }, position) => ({
      index,
      y,
      row,
      key,
      elementKey: elementKeys[position] ?? position,
    }))
  })
}
