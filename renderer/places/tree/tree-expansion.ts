import type { Ref } from 'vue'
import { expandToLevel, revealNode, setAllExpanded } from '../../model/tree/expansion.ts'
import { useTree } from '../../stores/tree.ts'

/** Expands and collapses cards; the selected card stays in view. */
export function useTreeExpansion(selected: Ref<number>) {
  const tree = useTree()

  function toggleNode(node: number, open: boolean): void {
    tree.forest.expanded[node] = open ? 1 : 0
    tree.refresh()
  }

  function expandSiblings(node: number): void {
    const parent = tree.forest.parent(node)
    let at = parent < 0 ? tree.forest.firstRoot : tree.forest.firstChild(parent)
    for (; at >= 0; at = tree.forest.nextSibling(at)) tree.forest.expanded[at] = 1
    tree.refresh()
  }

  function expandLevels(levels: number): void {
    if (levels === Infinity) setAllExpanded(tree.forest, true)
    else if (levels === 0) setAllExpanded(tree.forest, false)
    else expandToLevel(tree.forest, levels)
    if (selected.value >= 0 && levels > 0) revealNode(tree.forest, selected.value)
    tree.refresh()
  }

  return { toggle: toggleNode, openSiblings: expandSiblings, expand: expandLevels }
}
