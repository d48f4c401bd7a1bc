import type { RouteLocationRaw } from 'vue-router'
import { useFollowMode } from '../../stores/follow-mode.ts'
import { useTree } from '../../stores/tree.ts'

export function useRunMap() {
  const tree = useTree()
  const follow = useFollowMode()
  return {
    /**
     * The address of the map with the path of a run. Null if it is unknown of which study set.
     * @param topicid the study set that a call names; without it, the one that was opened last or
     *   that the followed host shows
     * @param noteid the card to select
     */
    getAddress(
      run: string,
      topicid = tree.key?.topicid ?? follow.selection?.topicid ?? '',
      noteid?: string,
    ): RouteLocationRaw | null {
      if (topicid === '') return null
      const query = { calls: run, ...(noteid === undefined ? {} : { note: noteid }) }
      return { path: `/study-sets/${encodeURIComponent(topicid)}/map`, query }
    },
  }
}
