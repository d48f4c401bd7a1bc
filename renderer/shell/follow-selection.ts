import { onScopeDispose, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import CardPane from '../panes/card/CardPane.vue'
import { useFollow } from '../stores/follow.ts'
import { useUi } from '../stores/ui.ts'

/**
 * Brings what the user selects in the host into the inspector: in the tree of the same study set its card is selected, elsewhere the
 * pane shows it. Only a change in the host does that, so what the person selects here stays until the next one.
 */
export function useFollowedSelection(): void {
  const follow = useFollow()
  const ui = useUi()
  const route = useRoute()
  const router = useRouter()
  const key = Symbol('follow')

  watch(
    () => follow.selection?.noteid ?? null,
    (noteid) => {
      const { selection } = follow
      if (noteid === null || !selection) return
      if (route.name === 'tree' && route.params['topicid'] === selection.topicid) {
        void router.replace({ query: { ...route.query, note: noteid } })
        return
      }
      const props = { noteid, topicid: selection.topicid || null }
      ui.show(key, { component: CardPane, props, ...(selection.title ? { title: selection.title } : {}) })
    },
  )
  watch(
    () => follow.on,
    (on) => {
      if (!on) ui.release(key)
    },
  )
  onScopeDispose(() => ui.release(key))
}
