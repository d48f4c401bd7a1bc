import { computed, ref, shallowRef, watch } from 'vue'
import { listSiblings } from '../../model/tree/expansion.ts'
import { Forest } from '../../model/tree/forest.ts'
import { TreeReader } from '../../model/tree/tree-reader.ts'
import { computeVisibleRows } from '../../model/tree/tree-rows.ts'

/** A row of a tree whose rows are all known. Parents come before their children. */
interface ForestRow {
  readonly key: string
  readonly parentKey: string | null
}

/** A larger tree begins with only its first levels expanded. */
const MAX_EXPANDED_ROWS = 150
const FIRST_LEVELS = 3

/** Shows rows with the tree component. What the user expanded stays so when the rows change. */
export function useRowForest<Row extends ForestRow>(getRows: () => readonly Row[], getTitle: (row: Row) => string) {
  const forest = shallowRef(new Forest())
  const version = ref(0)
  const expandedKeys = new Map<string, boolean>()

  watch(
    () => getRows().map((row) => [row, getTitle(row)] as const),
    (titledRows) => {
      const next = new Forest()
      const nodes = titledRows.map(([{ key, parentKey }, title]) => ({ noteid: key, title, parent: parentKey }))
      next.appendChunk(new TreeReader().addNodes(nodes))
      next.finishLoading(true)
      titledRows.forEach(([{ key }], node) => {
        const isFirst = titledRows.length <= MAX_EXPANDED_ROWS || next.getPath(node).length < FIRST_LEVELS
        next.expanded[node] = (expandedKeys.get(key) ?? isFirst) ? 1 : 0
      })
      forest.value = next
      version.value += 1
    },
    { immediate: true },
  )
  function toggleNode(node: number, isExpanded: boolean): void {
    expandedKeys.set(forest.value.getNoteid(node), isExpanded)
    forest.value.expanded[node] = isExpanded ? 1 : 0
    version.value += 1
  }
  return {
    forest,
    treeRows: computed(() => {
      void version.value
      return computeVisibleRows(forest.value, null)
    }),
    toggleNode,
    expandSiblings(node: number): void {
      for (const sibling of listSiblings(forest.value, node)) toggleNode(sibling, true)
    },
  }
}
