import { computed, type ComputedRef, type Ref } from 'vue'
import type { Forest } from '../../model/tree/forest.ts'
import type { TreeRows } from '../../model/tree/tree-rows.ts'
import { createKeyRecycler } from '../key-recycler.ts'

/** A row in the DOM. `y` is in pixels; `elementKey` identifies the elements. */
interface RenderedNode {
  readonly row: number
  readonly y: number
  readonly node: number
  readonly elementKey: number
}

export function useRenderedNodes(
  items: Readonly<Ref<readonly { row: number; y: number }[]>>,
  props: { readonly forest: Forest; readonly rows: TreeRows },
): ComputedRef<readonly RenderedNode[]> {
  const recycleKeys = createKeyRecycler<number>()
  const elementKeys = computed(() =>
    recycleKeys(
      items.value.map(({ row }) => row),
      props.forest,
    ),
  )
  return computed(() =>
    items.value.map(({ row, y }, index) => ({
      row,
      y,
      node: props.rows.nodes[row] ?? 0,
      elementKey: elementKeys.value[index] ?? index,
    })),
  )
}
