import { defineAsyncComponent, onScopeDispose, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { observeNavigations } from '../panes/late-navigation.ts'
import { useConnection } from '../stores/connection.ts'
import { useFollowMode } from '../stores/follow-mode.ts'
import { useUi } from '../stores/ui.ts'

/** The pane is loaded late, because it is not needed before the user follows the host. */
const CardPane = defineAsyncComponent(() => import('../panes/card/CardPane.vue'))

/**
 * Shows the card that is selected in the host: the tree of the same study set selects it; on other
 * places the inspector shows it. Only a change in the host has this effect, so a selection made
 * here stays until the next change.
 */
export function useHostSelectionSync(): void {
  const follow = useFollowMode()
  const connection = useConnection()
  const ui = useUi()
  const route = useRoute()
  const router = useRouter()
  const navigations = observeNavigations(router)
  const owner = Symbol('follow')

  watch(
    () => follow.selection?.noteid ?? null,
    (noteid) => {
      const { selection } = follow
      if (noteid === null || !selection) return
      if ((route.name === 'tree' || route.name === 'map') && route.params['topicid'] === selection.topicid) {
        ui.releaseInspector(owner)
        if (!navigations.pending) void router.replace({ query: { ...route.query, note: noteid } })
        return
      }
      const props = { noteid, topicid: selection.topicid || null }
      ui.showInspector(owner, { component: CardPane, props, ...(selection.title ? { title: selection.title } : {}) })
    },
  )
  watch([() => follow.isEnabled, () => connection.state.profile?.id], () => ui.releaseInspector(owner))
  onScopeDispose(() => ui.releaseInspector(owner))
}
