import { computed, type ComputedRef, type Ref } from 'vue'
import type { Forest } from '../../model/tree/forest.ts'
import type { Rows } from '../../model/tree/rows.ts'
import { recycler } from '../recycle.ts'

/** A row in the document: its place in pixels, its node, and the key of the elements that show it. */
interface DrawnRow {
  readonly row: number
  readonly y: number
  readonly node: number
  readonly element: number
}

/** The rows in view with their nodes. */
export function useDrawnRows(
  items: Readonly<Ref<readonly { row: number; y: number }[]>>,
  props: { readonly forest: Forest; readonly rows: Rows },
): ComputedRef<readonly DrawnRow[]> {
  const recycled = recycler<number>()
  const elements = computed(() =>
    recycled(
      items.value.map(({ row }) => row),
      props.forest,
    ),
  )
  return computed(() =>
    items.value.map(({ row, y }, at) => ({
      row,
      y,
      node: props.rows.nodes[row] ?? 0,
      element: elements.value[at] ?? at,
    })),
  )
}
