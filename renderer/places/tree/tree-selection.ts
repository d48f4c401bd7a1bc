import { computed, onScopeDispose, ref, watch, type Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { revealNode } from '../../model/tree/expansion.ts'
import { useTree } from '../../stores/tree.ts'

/** What the place needs of the tree component. */
export interface TreeView {
  show(node: number): Promise<void>
  focus(): void
}

/**
 * Cards that an arrow key only passes do not get into the address: a browser refuses to change it
 * that often.
 */
const PASSING_MS = 200

/**
 * The selected card: part of the address (`?note=`), and restored on reload as soon as its page has
 * arrived.
 */
export function useTreeSelection(view: Ref<TreeView | null>) {
  const route = useRoute()
  const router = useRouter()
  const tree = useTree()
  const selected = ref(-1)
  const wanted = computed(() => (typeof route.query['note'] === 'string' ? route.query['note'] : ''))

  /** Set while the address is behind the selection. */
  let later: ReturnType<typeof setTimeout> | undefined

  async function tell(): Promise<void> {
    clearTimeout(later)
    later = undefined
    if (selected.value < 0 || route.name !== 'tree') return
    const note = tree.forest.noteid(selected.value)
    if (note !== wanted.value) await router.replace({ query: { ...route.query, note: note || undefined } })
  }

  /** Resolves when the card is in the address; `passing` puts it there a moment later. */
  async function selectNode(node: number, passing = false): Promise<void> {
    selected.value = node
    clearTimeout(later)
    if (passing) later = setTimeout(() => void tell(), PASSING_MS)
    else await tell()
  }
  onScopeDispose(() => clearTimeout(later))

  /** Expands everything above a card, selects it and scrolls it into view. */
  function jumpToNode(node: number): void {
    revealNode(tree.forest, node)
    tree.refresh()
    void selectNode(node)
    void view.value?.show(node)
  }

  /** Brings the selected card, if there is one, into view again. */
  function revealSelected(): void {
    if (selected.value >= 0 && selected.value < tree.forest.count) jumpToNode(selected.value)
  }

  watch(
    () => [tree.loadedCount, wanted.value, tree.key] as const,
    async () => {
      if (tree.loadedCount === 0) {
        selected.value = -1
        return
      }
      if (later !== undefined) return
      if (wanted.value === '') {
        // A card without an id can't be in the address, but is selected all the same.
        if (selected.value >= 0 && tree.forest.noteid(selected.value) !== '') selected.value = -1
        return
      }
      if (selected.value >= 0 && tree.forest.noteid(selected.value) === wanted.value) return
      const node = await tree.indexOf(wanted.value)
      if (node >= 0 && node < tree.forest.count && tree.forest.noteid(node) === wanted.value) jumpToNode(node)
    },
    { immediate: true },
  )

  return { selected, select: selectNode, jump: jumpToNode, revealSelected }
}
