import { shallowRef, watch, type Ref } from 'vue'
import { useFollowMode } from '../../stores/follow-mode.ts'
import { useTree } from '../../stores/tree.ts'

/** Index of the card that the followed host shows; -1 if it is unknown or not in the open tree. */
export function useHostCard(): Readonly<Ref<number>> {
  const follow = useFollowMode()
  const tree = useTree()
  const node = shallowRef(-1)
  watch(
    () => [follow.selection?.noteid ?? '', tree.loadedCount, tree.forest] as const,
    async ([noteid]) => {
      const nextNode = noteid === '' ? -1 : await tree.indexOf(noteid)
      if (noteid === (follow.selection?.noteid ?? '')) node.value = nextNode
    },
    { immediate: true },
  )
  return node
}
