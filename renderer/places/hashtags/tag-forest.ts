import { computed, ref, shallowRef, watch, type Ref } from 'vue'
import type { HashtagNode } from '../../model/responses/hashtag-tree.ts'
import { foldText } from '../../../shared/format/text-folding.ts'
import { listSiblings, revealNode, setAllExpanded } from '../../model/tree/expansion.ts'
import { Forest } from '../../model/tree/forest.ts'
import { TreeReader } from '../../model/tree/tree-reader.ts'
import { createTreeFilter, computeVisibleRows } from '../../model/tree/tree-rows.ts'

/**
 * Converts the tags to a forest for the tree component. The index of a node is the index of its tag
 * in the list, and its id is the path of the tag.
 * @param text filter text, with or without the leading `#`.
 */
export function useTagForest(tags: Ref<readonly HashtagNode[]>, text: Ref<string>) {
  const forest = shallowRef(new Forest())
  /** Incremented on every change of expansion, because the forest's arrays are not reactive. */
  const expansionVersion = ref(0)

  watch(
    tags,
    (list) => {
      const expandedPaths = new Set<string>()
      for (let node = 0; node < forest.value.count; node += 1) {
        if (forest.value.expanded[node] === 1) expandedPaths.add(forest.value.getNoteid(node))
      }
      const isFirstLoad = forest.value.count === 0
      const nextForest = new Forest()
      const nodes = list.map(({ path, parentPath: parent, name }) => ({ noteid: path, title: name, parent }))
      nextForest.appendChunk(new TreeReader().addNodes(nodes))
      nextForest.finishLoading(true)
      list.forEach(({ path }, node) => (nextForest.expanded[node] = isFirstLoad || expandedPaths.has(path) ? 1 : 0))
      forest.value = nextForest
    },
    { immediate: true },
  )

  const searchText = computed(() => foldText(text.value.trim().replace(/^#/, '')))
  const filter = computed(() => {
    if (searchText.value === '') return null
    const matches = tags.value.flatMap(({ path }, node) => (foldText(path).includes(searchText.value) ? [node] : []))
    return createTreeFilter(forest.value, Uint32Array.from(matches))
  })
  const rows = computed(() => {
    void expansionVersion.value
    return computeVisibleRows(forest.value, filter.value)
  })

  return {
    forest,
    filter,
    rows,
    toggleNode(node: number, isExpanded: boolean): void {
      forest.value.expanded[node] = isExpanded ? 1 : 0
      expansionVersion.value += 1
    },
    expandSiblings(node: number): void {
      for (const sibling of listSiblings(forest.value, node)) forest.value.expanded[sibling] = 1
      expansionVersion.value += 1
    },
    expandAll(isExpanded: boolean): void {
      setAllExpanded(forest.value, isExpanded)
      expansionVersion.value += 1
    },
    revealNode(node: number): void {
      revealNode(forest.value, node)
      expansionVersion.value += 1
    },
  }
}
