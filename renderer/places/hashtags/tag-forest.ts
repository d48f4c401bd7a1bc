import { computed, ref, shallowRef, watch, type Ref } from 'vue'
import type { HashtagNode } from '../../model/responses/hashtag-tree.ts'
import { foldText } from '../../../shared/format/text-folding.ts'
import { revealNode, setAllExpanded } from '../../model/tree/expansion.ts'
import { Forest } from '../../model/tree/forest.ts'
import { TreeReader } from '../../model/tree/tree-reader.ts'
import { createTreeFilter, computeVisibleRows } from '../../model/tree/tree-rows.ts'

/** The tags in the tree component's format: a node's index is the tag's index in the list, its id the path. */
export function useTagForest(tags: Ref<readonly HashtagNode[]>, text: Ref<string>) {
  const forest = shallowRef(new Forest())
  /** Incremented on every fold or unfold, because the forest's arrays are not reactive. */
  const changes = ref(0)

  watch(
    tags,
    (list) => {
      const open = new Set<string>()
      for (let n = 0; n < forest.value.count; n += 1) {
        if (forest.value.expanded[n] === 1) open.add(forest.value.noteid(n))
      }
      const first = forest.value.count === 0
      const next = new Forest()
      const nodes = list.map(({ path, parentPath: parent, name }) => ({ noteid: path, title: name, parent }))
      next.appendChunk(new TreeReader().addNodes(nodes))
      next.finishLoading(true)
      list.forEach(({ path }, n) => (next.expanded[n] = first || open.has(path) ? 1 : 0))
      forest.value = next
    },
    { immediate: true },
  )

  const needle = computed(() => foldText(text.value.trim().replace(/^#/, '')))
  const filter = computed(() => {
    if (needle.value === '') return null
    const matches = tags.value.flatMap(({ path }, n) => (foldText(path).includes(needle.value) ? [n] : []))
    return createTreeFilter(forest.value, Uint32Array.from(matches))
  })
  const rows = computed(() => {
    void changes.value
    return computeVisibleRows(forest.value, filter.value)
  })

  return {
    forest,
    filter,
    rows,
    toggleNode(node: number, open: boolean): void {
      forest.value.expanded[node] = open ? 1 : 0
      changes.value += 1
    },
    expandSiblings(node: number): void {
      const parent = forest.value.parent(node)
      let at = parent < 0 ? forest.value.firstRoot : forest.value.firstChild(parent)
      for (; at >= 0; at = forest.value.nextSibling(at)) forest.value.expanded[at] = 1
      changes.value += 1
    },
    expandAll(open: boolean): void {
      setAllExpanded(forest.value, open)
      changes.value += 1
    },
    revealNode(node: number): void {
      revealNode(forest.value, node)
      changes.value += 1
    },
  }
}
