import { ref, watch, type Ref } from 'vue'
import type { Forest } from '../../model/tree/forest.ts'
import { findNearestRow, findRowOfNode, type TreeRows } from '../../model/tree/tree-rows.ts'

interface ActiveRowProps {
  readonly forest: Forest
  readonly rows: TreeRows
  readonly selected: number
  readonly selectionFollowsFocus?: boolean
}

/**
 * Returns the row that keys act on. It stays with its node when rows above it change, and follows
 * the selection if the tree does.
 */
export function useActiveRow(props: ActiveRowProps): Ref<number> {
  const activeRow = ref(0)
  // Keys continue from the selected card, whoever selected it.
  watch(
    () => props.selected,
    (node) => {
      const row = props.selectionFollowsFocus ? findRowOfNode(props.rows, node) : -1
      if (row >= 0) activeRow.value = row
    },
    { immediate: true },
  )
  // When its node is collapsed away, it moves to the node that hides it.
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
