import type { Ref } from 'vue'
import { expandToLevel, reveal, setAll } from '../../model/tree/expand.ts'
import { useTree } from '../../stores/tree.ts'

/** Expands and collapses cards; the selected card stays in view. */
export function useOpening(selected: Ref<number>) {
  const tree = useTree()

  function toggle(node: number, open: boolean): void {
    tree.forest.expanded[node] = open ? 1 : 0
    tree.refresh()
  }

  function openSiblings(node: number): void {
    const parent = tree.forest.parent(node)
    let at = parent < 0 ? tree.forest.firstRoot : tree.forest.firstChild(parent)
    for (; at >= 0; at = tree.forest.nextSibling(at)) tree.forest.expanded[at] = 1
    tree.refresh()
  }

  function expand(levels: number): void {
    if (levels === Infinity) setAll(tree.forest, true)
    else if (levels === 0) setAll(tree.forest, false)
    else expandToLevel(tree.forest, levels)
    if (selected.value >= 0 && levels > 0) reveal(tree.forest, selected.value)
    tree.refresh()
  }

  return { toggle, openSiblings, expand }
}
