import { defineAsyncComponent, onScopeDispose, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { useConnection } from '../stores/connection.ts'
import { useFollowMode } from '../stores/follow-mode.ts'
import { useUi } from '../stores/ui.ts'

/** The pane is loaded late, because it is not needed before the user follows the host. */
const CardPane = defineAsyncComponent(() => import('../panes/card/CardPane.vue'))

/**
 * Brings the selection in the host into the inspector: the tree of the same study set selects the
 * card; on other places the pane shows it. Only a change in the host triggers this, so a selection
 * made here stays until the next change.
 */
export function useHostSelectionSync(): void {
  const follow = useFollowMode()
  const connection = useConnection()
  const ui = useUi()
  const route = useRoute()
  const router = useRouter()
  const owner = Symbol('follow')

  watch(
    () => follow.selection?.noteid ?? null,
    (noteid) => {
      const { selection } = follow
      if (noteid === null || !selection) return
      if (route.name === 'tree' && route.params['topicid'] === selection.topicid) {
        ui.releaseInspector(owner)
        void router.replace({ query: { ...route.query, note: noteid } })
        return
      }
      const props = { noteid, topicid: selection.topicid || null }
      ui.showInspector(owner, { component: CardPane, props, ...(selection.title ? { title: selection.title } : {}) })
    },
  )
  watch([() => follow.isEnabled, () => connection.state.profile?.id], () => ui.releaseInspector(owner))
  onScopeDispose(() => ui.releaseInspector(owner))
}
