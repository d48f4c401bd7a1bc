import { computed, watch, type ComputedRef } from 'vue'
import { MAX_CHANGE_MARKS_PER_CALL, type CardGhost, type CardGhosts } from '../../shared/ipc/snapshots.ts'
import { call } from '../ipc/call.ts'
import { NOT_IN_TREE, type MapGhosts } from '../model/map/map-ghosts.ts'
import { useMapChoice } from './map.ts'
import { useReadInParts } from './read-in-parts.ts'
import { useTree } from './tree.ts'
import { useTreeChanges } from './tree-changes.ts'

/** Former places beyond these are only counted: each takes a row of the map. */
export const MAX_MAP_GHOSTS = 20_000

/** The former places in one tree, by the index of the ghost. */
interface TreeGhosts extends Pick<CardGhosts, 'ghostCount' | 'uncovered'> {
  readonly ghosts: readonly CardGhost[]
  readonly columns: MapGhosts
}

/**
 * Reads where the moved and removed cards of the open tree were in the snapshot since which changes
 * are marked, unless the user hides it, while the calling component lives.
 */
export function useMapGhosts(): {
  readonly ghosts: ComputedRef<TreeGhosts | null>
  readonly columns: ComputedRef<MapGhosts | null>
  readonly reading: ReturnType<typeof useReadInParts<TreeGhosts>>
} {
  const tree = useTree()
  const changes = useTreeChanges()
  const choice = useMapChoice()

  const reading = useReadInParts<TreeGhosts>(async (signal, onPart) => {
    const { marks } = changes
    const { forest, key } = tree
    if (marks === null) return
    const { before, after } = marks
    const ghosts: CardGhost[] = []
    for (;;) {
      const sides = { topicid: after.topicid, before: before.id, after: after.id }
      const input = { ...sides, offset: ghosts.length, limit: MAX_CHANGE_MARKS_PER_CALL }
      const part = await call('snapshots.ghosts', input, { signal })
      ghosts.push(...part.ghosts)
      const isRead = part.ghosts.length === 0 || ghosts.length >= Math.min(part.ghostCount, MAX_MAP_GHOSTS)
      if (!isRead) continue
      const columns = await findGhosts(ghosts, key?.root ?? '')
      // Another tree was opened, of which the former places are read anew.
      if (tree.forest !== forest) return
      return onPart({ ghostCount: part.ghostCount, uncovered: part.uncovered, ghosts, columns })
    }
  })

  /** @param root the sub-map that the tree shows; empty for the whole study set */
  async function findGhosts(ghosts: readonly CardGhost[], root: string): Promise<MapGhosts> {
    const find = async (ids: readonly string[], nodeOfNone: number): Promise<Int32Array> => {
      const nodes = await tree.indexesOf(ids)
      return nodes.map((node, index) => (ids[index] === '' ? nodeOfNone : node < 0 ? NOT_IN_TREE : node))
    }
    const [parents, follows, cards] = await Promise.all([
      find(
        ghosts.map(({ parentId }) => parentId),
        root === '' ? -1 : NOT_IN_TREE,
      ),
      find(
        ghosts.map(({ followsId }) => followsId),
        -1,
      ),
      find(
        ghosts.map(({ noteid }) => noteid),
        -1,
      ),
    ])
    return {
      parents,
      follows,
      cards: cards.map((node, index) => (ghosts[index]?.isRemoved === true ? -1 : Math.max(-1, node))),
      below: Uint32Array.from(ghosts, ({ below }) => below),
      removed: Uint8Array.from(ghosts, ({ isRemoved }) => (isRemoved ? 1 : 0)),
      titles: ghosts.map(({ title }) => title),
    }
  }

  watch(
    () => (choice.hasGhosts ? changes.marks : null),
    (marks) => {
      reading.progress.value = null
      if (marks) void reading.start()
      else reading.stop()
    },
    { immediate: true },
  )
  const ghosts = computed(() => (choice.hasGhosts && changes.marks ? reading.progress.value : null))
  return { ghosts, columns: computed(() => ghosts.value?.columns ?? null), reading }
}
