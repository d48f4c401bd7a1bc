import { defineStore } from './define-store.ts'
import { computed, shallowRef, watch, type ComputedRef, type Ref } from 'vue'
import { MAX_CHANGE_MARKS_PER_CALL, type ChangeMark, type ChangeMarks } from '../../shared/ipc/snapshots.ts'
import type { SnapshotInfo } from '../../shared/snapshots/snapshot.ts'
import { call } from '../ipc/call.ts'
import { useReadInParts } from './read-in-parts.ts'
import { useSnapshotList } from './snapshots.ts'
import { useTree } from './tree.ts'

/** How a marked card is drawn, by the most telling kind of its change. */
const changeTones = ['none', 'added', 'moved', 'changed', 'above'] as const
/** `above`: only cards below it were removed. */
export type ChangeTone = (typeof changeTones)[number]

/** The kinds and causes of the first marked cards stay in memory; of the others, only the tone. */
const MAX_DESCRIBED_MARKS = 10_000
const NOT_IN_TREE = -1

export interface TreeChangeChoice {
  /** The snapshot since which changes are marked; null if none are. */
  readonly since: number | null
  readonly isOnlyChanged: boolean
}
const NO_CHOICE: TreeChangeChoice = { since: null, isOnlyChanged: false }

interface TreeMarks extends Omit<ChangeMarks, 'marks' | 'offset'> {
  /** Index in `changeTones` by node: one byte for each card. */
  readonly tones: Uint8Array
  readonly markByNode: ReadonlyMap<number, ChangeMark>
  /** Number of marks whose card is not in the tree, which may be incomplete or older. */
  readonly outside: number
}

/** Changes of the open tree since an earlier snapshot. The choice outlives the view. */
export const useTreeChanges = defineStore('tree-changes', () => {
  const choices = shallowRef<ReadonlyMap<string, TreeChangeChoice>>(new Map())
  const marks = shallowRef<TreeMarks | null>(null)

  /** Follows when `topicid` changes. */
  function useChoice(topicid: Ref<string>) {
    return computed({
      get: () => choices.value.get(topicid.value) ?? NO_CHOICE,
      set: (choice: TreeChangeChoice) => (choices.value = new Map([...choices.value, [topicid.value, choice]])),
    })
  }

  /** Narrows a filter's matches, null without one, to marked cards. */
  function refineMatches(matches: Uint32Array | null): Uint32Array {
    const { tones = new Uint8Array(0) } = marks.value ?? {}
    if (matches !== null) return matches.filter((node) => (tones[node] ?? 0) > 0)
    const nodes: number[] = []
    for (let node = 0; node < tones.length; node += 1) if ((tones[node] ?? 0) > 0) nodes.push(node)
    return Uint32Array.from(nodes)
  }

  /** The address of Changes between the two snapshots, at a card if one is named. */
  function getAddress(noteid?: string) {
    if (marks.value === null) return null
    const { before, after } = marks.value
    return {
      path: `/study-sets/${encodeURIComponent(after.topicid)}/changes`,
      query: { before: String(before.id), after: String(after.id), ...(noteid ? { card: noteid } : {}) },
    }
  }

  return {
    marks,
    useChoice,
    refineMatches,
    getAddress,
    getTone: (node: number): ChangeTone => changeTones[marks.value?.tones[node] ?? 0] ?? 'none',
    getMark: (node: number): ChangeMark | null => marks.value?.markByNode.get(node) ?? null,
  }
})

function getTone({ kinds }: ChangeMark): ChangeTone {
  if (kinds.length === 0) return 'above'
  return (['added', 'moved'] as const).find((kind) => kinds.includes(kind)) ?? 'changed'
}

interface TreeChangeReading {
  /** Snapshots with which the newest one can be compared, the newest first. */
  readonly earlier: ComputedRef<readonly SnapshotInfo[]>
  /** The choice, or null while its snapshot does not exist (any more). */
  readonly since: ComputedRef<SnapshotInfo | null>
  readonly reading: ReturnType<typeof useReadInParts<TreeMarks>>
}

/** Reads anew after each snapshot and reload of the tree. Call it in a component's scope. */
export function useTreeChangeReading(topicid: Ref<string>): TreeChangeReading {
  const tree = useTree()
  const changes = useTreeChanges()
  const choice = changes.useChoice(topicid)
  const list = useSnapshotList(() => topicid.value)
  const newest = computed(() => list.data?.snapshots[0] ?? null)
  // The newest one is of the connected host, because the open tree was read from it.
  const earlier = computed(() => list.data?.snapshots.slice(1).filter(({ host }) => host === newest.value?.host) ?? [])
  const since = computed(() => earlier.value.find(({ id }) => id === choice.value.since) ?? null)
  const isShown = computed(() => tree.key?.topicid === topicid.value && tree.status !== 'loading')

  const reading = useReadInParts<TreeMarks>(async (signal, onPart) => {
    const { forest } = tree
    const tones = new Uint8Array(forest.count)
    const markByNode = new Map<number, ChangeMark>()
    let outside = 0
    for (let offset = 0; ;) {
      const sides = { before: since.value?.id ?? 0, after: newest.value?.id ?? 0 }
      const input = { topicid: topicid.value, ...sides, offset, limit: MAX_CHANGE_MARKS_PER_CALL }
      const { marks, ...facts } = await call('snapshots.marks', input, { signal })
      const nodes = await tree.indexesOf(marks.map(({ noteid }) => noteid))
      // Another tree was opened, of which the marks are read anew.
      if (tree.forest !== forest) return
      for (const [index, mark] of marks.entries()) {
        const node = nodes[index] ?? NOT_IN_TREE
        if (node === NOT_IN_TREE || node >= tones.length) {
          outside += 1
          continue
        }
        tones[node] = changeTones.indexOf(getTone(mark))
        if (markByNode.size < MAX_DESCRIBED_MARKS) markByNode.set(node, mark)
      }
      offset += marks.length
      if (marks.length === 0 || offset >= facts.markCount) return onPart({ ...facts, tones, markByNode, outside })
    }
  })

  watch(
    () => [since.value?.id, newest.value?.id, isShown.value, tree.forest] as const,
    ([before, after, isReady, forest], [oldBefore, , , oldForest] = [] as never) => {
      if (before === undefined || forest !== oldForest || before !== oldBefore) reading.progress.value = null
      if (before !== undefined && after !== undefined && isReady) void reading.start()
      else reading.stop()
    },
    { immediate: true },
  )
  watch(reading.progress, (marks) => (changes.marks = marks), { immediate: true })
  return { earlier, since, reading }
}
