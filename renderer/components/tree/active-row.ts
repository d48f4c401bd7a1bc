import { ref, watch, type Ref } from 'vue'
import type { Forest } from '../../model/tree/forest.ts'
import { findNearestRow, findRowOfNode, type TreeRows } from '../../model/tree/tree-rows.ts'

interface ActiveRowProps {
  readonly forest: Forest
  readonly rows: TreeRows
  readonly selected: number
  readonly selectionFollowsFocus?: boolean
}

/** The row stays at its node when rows above change, or follows the selection. */
export function useActiveRow(props: ActiveRowProps): Ref<number> {
  const activeRow = ref(0)
  // Keys continue from the selected card, even if the selection was not made in the tree.
  watch(
    () => props.selected,
    (node) => {
      const row = props.selectionFollowsFocus ? findRowOfNode(props.rows, node) : -1
      if (row >= 0) activeRow.value = row
    },
    { immediate: true },
  )
  // When the active node is hidden in a collapsed branch, its visible ancestor becomes active.
  watch(
    () => props.rows,
    (rows, previousRows) => {
      const node = previousRows.nodes[activeRow.value]
      if (node === undefined || rows.nodes[activeRow.value] === node) return
      activeRow.value = Math.max(0, findNearestRow(props.forest, rows, node))
    },
  )
  return activeRow
}
