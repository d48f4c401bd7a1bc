import { computed, ref, watch, type Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { reveal } from '../../model/tree/expand.ts'
import { useTree } from '../../stores/tree.ts'

/** What the place needs of the tree component. */
export interface TreeView {
  show(node: number): void
  focus(): void
}

/** The selected card: part of the address (`?note=`), and restored on reload as soon as its page has arrived. */
export function useSelection(view: Ref<TreeView | null>) {
  const route = useRoute()
  const router = useRouter()
  const tree = useTree()
  const selected = ref(-1)
  const wanted = computed(() => (typeof route.query['note'] === 'string' ? route.query['note'] : ''))

  function select(node: number): void {
    selected.value = node
    const note = tree.forest.noteid(node)
    if (note !== wanted.value) void router.replace({ query: { ...route.query, note: note || undefined } })
  }

  /** Expands everything above a card, selects it and scrolls it into view. */
  function jump(node: number): void {
    reveal(tree.forest, node)
    tree.refresh()
    select(node)
    view.value?.show(node)
  }

  /** Brings the selected card, if there is one, into view again. */
  function revealSelected(): void {
    if (selected.value >= 0 && selected.value < tree.forest.count) jump(selected.value)
  }

  watch(
    () => [tree.loaded, wanted.value, tree.key] as const,
    async () => {
      if (tree.loaded === 0) {
        selected.value = -1
        return
      }
      if (wanted.value === '') {
        // A card without an id can't be in the address, but is selected all the same.
        if (selected.value >= 0 && tree.forest.noteid(selected.value) !== '') selected.value = -1
        return
      }
      if (selected.value >= 0 && tree.forest.noteid(selected.value) === wanted.value) return
      const node = await tree.indexOf(wanted.value)
      if (node >= 0 && node < tree.forest.count && tree.forest.noteid(node) === wanted.value) jump(node)
    },
    { immediate: true },
  )

  return { selected, select, jump, revealSelected }
}
