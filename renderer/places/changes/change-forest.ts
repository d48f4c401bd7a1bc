import { computed, ref, shallowRef, watch } from 'vue'
import type { SnapshotChangeRow } from '../../../shared/ipc/snapshots.ts'
import { listSiblings, revealNode } from '../../model/tree/expansion.ts'
import { Forest } from '../../model/tree/forest.ts'
import { TreeReader } from '../../model/tree/tree-reader.ts'
import { computeVisibleRows, createTreeFilter } from '../../model/tree/tree-rows.ts'

/**
 * The rows of a comparison as a forest for the tree component. The index of a node is that of its
 * row. Rows may only be appended, until another comparison begins with another first row.
 * @param matches the rows that a filter shows; null if there is no filter
 */
export function useChangeForest(
  rows: () => readonly SnapshotChangeRow[],
  matches: () => readonly number[] | null,
  getTitle: (row: SnapshotChangeRow) => string,
) {
  const forest = shallowRef(new Forest())
  const version = ref(0)
  let reader = new TreeReader()
  /** The key of the last row at each depth. */
  let path: string[] = []

  watch(
    rows,
    (newRows, oldRows) => {
      if (newRows[0] !== oldRows?.[0]) {
        forest.value = new Forest()
        reader = new TreeReader()
        path = []
      }
      const start = forest.value.count
      const nodes = newRows.slice(start).map((row, index) => {
        const key = String(start + index)
        path.length = Math.min(path.length, row.depth)
        const node = { noteid: key, title: getTitle(row), parent: path.at(-1) ?? '' }
        path.push(key)
        return node
      })
      if (nodes.length > 0) forest.value.appendChunk(reader.addNodes(nodes))
      forest.value.expanded.fill(1, start, forest.value.count)
      version.value += 1
    },
    { immediate: true },
  )

  const filter = computed(() => {
    void version.value
    const list = matches()
    return list === null ? null : createTreeFilter(forest.value, Uint32Array.from(list))
  })
  function toggleNode(node: number, isExpanded: boolean): void {
    forest.value.expanded[node] = isExpanded ? 1 : 0
    version.value += 1
  }
  return {
    forest,
    filter,
    treeRows: computed(() => {
      void version.value
      return computeVisibleRows(forest.value, filter.value)
    }),
    toggleNode,
    expandSiblings(node: number): void {
      for (const sibling of listSiblings(forest.value, node)) toggleNode(sibling, true)
    },
    /** Expands what is above a node. */
    reveal(node: number): void {
      revealNode(forest.value, node)
      version.value += 1
    },
  }
}
