import type { Ref } from 'vue'
import { expandToLevel, listSiblings, revealNode, setAllExpanded } from '../../model/tree/expansion.ts'
import { useTree } from '../../stores/tree.ts'

/** Expands and collapses cards. When levels are expanded, the selected card stays visible. */
export function useTreeExpansion(selected: Ref<number>) {
  const tree = useTree()

  function toggleNode(node: number, isExpanded: boolean): void {
    tree.forest.expanded[node] = isExpanded ? 1 : 0
    tree.refresh()
  }

  function expandSiblings(node: number): void {
    for (const sibling of listSiblings(tree.forest, node)) tree.forest.expanded[sibling] = 1
    tree.refresh()
  }

  function expandLevels(levels: number): void {
    if (levels === Infinity) setAllExpanded(tree.forest, true)
    else if (levels === 0) setAllExpanded(tree.forest, false)
    else expandToLevel(tree.forest, levels)
    if (selected.value >= 0 && levels > 0) revealNode(tree.forest, selected.value)
    tree.refresh()
  }

  return { toggleNode, expandSiblings, expandLevels }
}
