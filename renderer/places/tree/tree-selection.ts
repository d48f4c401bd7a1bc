import { computed, onScopeDispose, ref, watch, type Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { revealNode } from '../../model/tree/expansion.ts'
import { observeNavigations } from '../../panes/late-navigation.ts'
import { useTree } from '../../stores/tree.ts'

/** The methods of the tree component that the selection uses. */
export interface TreeView {
  show(node: number): Promise<void>
  focus(): void
}

/** Browsers refuse to change the address more often than arrow keys may. */
const ROUTE_DELAY_MS = 200

/** The route contains it (`?note=`); after a reload it is selected once its page has arrived. */
export function useTreeSelection(view: Ref<TreeView | null>) {
  const route = useRoute()
  const router = useRouter()
  const navigations = observeNavigations(router)
  const tree = useTree()
  const selected = ref(-1)
  const routeNoteid = computed(() => (typeof route.query['note'] === 'string' ? route.query['note'] : ''))

  /** Set while the route is behind the selection. */
  let routeTimer: ReturnType<typeof setTimeout> | undefined

  async function writeRoute(): Promise<void> {
    clearTimeout(routeTimer)
    routeTimer = undefined
    if (selected.value < 0 || (route.name !== 'tree' && route.name !== 'map')) return
    const note = tree.forest.getNoteid(selected.value)
    if (note === routeNoteid.value) return
    // The place is being left, or a newer address of the place is on its way.
    if (navigations.pending) routeTimer = setTimeout(() => void writeRoute(), ROUTE_DELAY_MS)
    else await router.replace({ query: { ...route.query, note: note || undefined } })
  }

  /** Resolves when the route has the card; with `isPassing`, the route follows later. */
  async function selectNode(node: number, isPassing = false): Promise<void> {
    selected.value = node
    clearTimeout(routeTimer)
    if (isPassing) routeTimer = setTimeout(() => void writeRoute(), ROUTE_DELAY_MS)
    else await writeRoute()
  }
  onScopeDispose(() => clearTimeout(routeTimer))

  /** Selects a node and expands its ancestors. */
  function jumpToNode(node: number): void {
    revealNode(tree.forest, node)
    tree.refresh()
    void selectNode(node)
    void view.value?.show(node)
  }

  /** Does nothing if no card is selected. */
  function revealSelected(): void {
    if (selected.value >= 0 && selected.value < tree.forest.count) jumpToNode(selected.value)
  }

  watch(
    () => [tree.loadedCount, routeNoteid.value, tree.key] as const,
    async () => {
      if (tree.loadedCount === 0) {
        selected.value = -1
        return
      }
      if (routeTimer !== undefined) return
      if (routeNoteid.value === '') {
        // A card without an id cannot be in the route, but it can be selected.
        if (selected.value >= 0 && tree.forest.getNoteid(selected.value) !== '') selected.value = -1
        return
      }
      if (selected.value >= 0 && tree.forest.getNoteid(selected.value) === routeNoteid.value) return
      const node = await tree.indexOf(routeNoteid.value)
      if (node >= 0 && node < tree.forest.count && tree.forest.getNoteid(node) === routeNoteid.value) jumpToNode(node)
    },
    { immediate: true },
  )

  return { selected, select: selectNode, jump: jumpToNode, revealSelected }
}
