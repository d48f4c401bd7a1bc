import { defineStore } from './define-store.ts'
import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import type { CardPath, RunSource } from '../../shared/ipc/recordings.ts'
import { call } from '../ipc/call.ts'
import { layOutPath, type MapPath } from '../model/map/map-path.ts'
import { useReadInParts } from './read-in-parts.ts'
import { useTree } from './tree.ts'

/** The cards that the calls of a run named, in the open tree. */
export interface TreePath extends Omit<CardPath, 'noteids'> {
  readonly columns: MapPath
  /** Number of the named cards, and of those that the tree does not have. */
  readonly cardCount: number
  readonly outsideCount: number
}

/** The path of calls that maps show, up to one of its calls. */
export const useMapPath = defineStore('map-path', () => {
  const current = shallowRef<TreePath | null>(null)
  const callCount = shallowRef(0)

  /** Number of shown calls that named each card. */
  const countsByNode = computed(() => {
    const { marks } = layOutPath(
      current.value?.columns ?? NO_COLUMNS,
      callCount.value,
      (node) => node,
      () => true,
    )
    return new Map(marks.map(({ row: node, reads, writes }) => [node, { reads, writes }]))
  })

  return { current, callCount, countsByNode }
})

const NO_COLUMNS: MapPath = { nodes: new Int32Array(), calls: new Uint32Array(), writes: new Uint8Array() }

/** Reads the path of a run through the open tree while the calling component lives. */
export function useMapPathReading(getSource: () => RunSource | null): ReturnType<typeof useReadInParts<TreePath>> {
  const tree = useTree()
  const path = useMapPath()

  const reading = useReadInParts<TreePath>(async (signal, onPart) => {
    const source = getSource()
    if (source === null) return
    const { forest } = tree
    const { noteids, ...facts } = await call('recordings.cardPath', { source }, { signal })
    const nodes = await tree.indexesOf(noteids)
    if (tree.forest !== forest) return
    const outsideCount = nodes.reduce((count, node) => count + (node < 0 ? 1 : 0), 0)
    onPart({ ...facts, columns: toColumns(facts.calls, nodes), cardCount: noteids.length, outsideCount })
  })

  watch(
    () => [JSON.stringify(getSource()), tree.forest, tree.status === 'complete'] as const,
    ([source], [oldSource] = [] as never) => {
      if (source !== oldSource) reading.progress.value = null
      if (getSource() === null) reading.stop()
      else void reading.start()
    },
    { immediate: true },
  )
  watch(reading.progress, (next, previous) => {
    path.current = next
    // A path that is read again stays at its call.
    if (!previous || path.callCount > (next?.calls.length ?? 0)) path.callCount = next?.calls.length ?? 0
  })
  onScopeDispose(() => (path.current = null))
  return reading
}

function toColumns(calls: CardPath['calls'], nodes: Int32Array): MapPath {
  const steps = calls.flatMap(({ cards, isWrite }, callIndex) =>
    cards.map((card) => ({ node: nodes[card] ?? -1, callIndex, isWrite })),
  )
  const inTree = steps.filter(({ node }) => node >= 0)
  return {
    nodes: Int32Array.from(inTree, ({ node }) => node),
    calls: Uint32Array.from(inTree, ({ callIndex }) => callIndex),
    writes: Uint8Array.from(inTree, ({ isWrite }) => (isWrite ? 1 : 0)),
  }
}
