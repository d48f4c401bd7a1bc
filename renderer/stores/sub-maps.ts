import { defineStore } from './define-store.ts'
import { computed, shallowRef, toRef, watch, type ComputedRef, type Ref } from 'vue'
import type { SubMap } from '../../shared/bridge/resources/library.ts'
import { useConnection } from './connection.ts'
import { useRead } from './host-read.ts'
import { useTree } from './tree.ts'

/** More frames than these are not drawn. */
const MAX_SUB_MAPS = 5_000
const NO_NODES = new Int32Array(0)

/** The sub-maps that the host lists of a study set; empty while they are unknown. */
export function useSubMaps(topicid: Readonly<Ref<string>>): ComputedRef<readonly SubMap[]> {
  const connection = useConnection()
  const resource = useRead('studySets.subMaps', () =>
    connection.online && topicid.value !== '' ? { params: { topicid: topicid.value } } : null,
  )
  return computed(() => resource.data?.value.subMaps ?? [])
}

/** The roots of the sub-maps that have frames in the map of the open tree. */
export const useSubMapRoots = defineStore('sub-map-roots', () => ({ nodes: shallowRef(NO_NODES) }))

/** The root of the tree is none of them: a frame around everything would say nothing. */
export function useSubMapNodes(getSubMaps: () => readonly SubMap[]): Readonly<Ref<Int32Array<ArrayBuffer>>> {
  const tree = useTree()
  const roots = useSubMapRoots()
  watch(
    [getSubMaps, () => tree.status, () => tree.forest] as const,
    async ([subMaps, status, forest], [, , previousForest]) => {
      if (forest !== previousForest) roots.nodes = NO_NODES
      if (status === 'loading' || subMaps.length === 0) return
      const root = tree.key?.root ?? ''
      const ids = subMaps.flatMap(({ noteid }) => (noteid === root ? [] : [noteid])).slice(0, MAX_SUB_MAPS)
      const indexes = await tree.indexesOf(ids)
      if (tree.forest === forest) roots.nodes = Int32Array.from(indexes.filter((node) => node >= 0))
    },
    { immediate: true },
  )
  return toRef(roots, 'nodes')
}
