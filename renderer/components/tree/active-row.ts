import { ref, watch, type Ref } from 'vue'
import type { Forest } from '../../model/tree/forest.ts'
import { findNearestRow, findRow, type TreeRows } from '../../model/tree/tree-rows.ts'

interface ActiveRowProps {
  readonly forest: Forest
  readonly rows: TreeRows
  readonly selected: number
  readonly follows?: boolean
}

/** The row that keys act on. It stays with its node when rows above it change, and goes to the selected card where that leads it. */
export function useActiveRow(props: ActiveRowProps): Ref<number> {
  const active = ref(0)
  // The selected card is where the keys go on from, whoever selected it.
  watch(
    () => props.selected,
    (node) => {
      const row = props.follows ? findRow(props.rows, node) : -1
      if (row >= 0) active.value = row
    },
    { immediate: true },
  )
  // When its node is folded away, it moves to the node that hides it.
  watch(
    () => props.rows,
    (rows, before) => {
      const node = before.nodes[active.value]
      if (node === undefined || rows.nodes[active.value] === node) return
      active.value = Math.max(0, findNearestRow(props.forest, rows, node))
    },
  )
  return active
}
