import { defineStore } from 'pinia'
import { computed, onScopeDispose, shallowRef, watch, type Ref } from 'vue'
import type { MapBounds, MapProjection } from '../model/map/map-layout.ts'
import type { MapLook } from '../model/map/map-scene.ts'
import { MapWorker } from '../workers/map-client.ts'
import type { MapCardMarks, MapFrame, MapFrameRequest, MapPlan } from '../workers/map-protocol.ts'
import { useNodeColor } from './node-color.ts'
import { useTree } from './tree.ts'
import { useTreeChanges } from './tree-changes.ts'

export type { MapFrame, MapFrameRequest, MapPlan } from '../workers/map-protocol.ts'

/** Pages of the listing that are copied to the worker in one task. */
const CHUNKS_PER_TASK = 8

/** How maps are drawn, until the page is reloaded. */
export const useMapChoice = defineStore('map-choice', () => ({ projection: shallowRef<MapProjection>('right') }))

const changeByTone = { added: 'added', moved: 'moved', changed: 'changed', above: null, none: null } as const

/**
 * The open tree as a map, which a worker places and draws while the calling component lives. The
 * worker gets the rows of the tree, so expanding, filtering and renaming there show here as well.
 */
export function useMapDrawing(projection: Readonly<Ref<MapProjection>>) {
  const tree = useTree()
  const changes = useTreeChanges()
  const worker = new MapWorker()
  const plan = shallowRef<MapPlan | null>(null)
  const error = shallowRef<Error | null>(null)
  /** Changes whenever a frame would look different. */
  const revision = shallowRef(0)
  const nodesInFrame = shallowRef<readonly number[]>([])
  let sentForest: typeof tree.forest | null = null
  let sentChunkCount = 0
  let sentCards = ''
  let hasLook = false
  let isPlacing = false
  let isOutdated = false
  let isClosed = false
  /** Resolves when the rows that the tree has now are placed. */
  let placement = Promise.resolve()

  async function sendCards(): Promise<void> {
    const { forest } = tree
    if (sentForest !== forest) {
      worker.send({ task: 'reset' })
      sentForest = forest
      sentChunkCount = 0
      sentCards = ''
    }
    while (sentChunkCount < forest.chunks.length && sentForest === forest) {
      const chunks = forest.chunks.slice(sentChunkCount, sentChunkCount + CHUNKS_PER_TASK)
      sentChunkCount += chunks.length
      worker.send({
        task: 'titles',
        chunks: chunks.map(({ start, count, titles, titleEnds, otherTitles, flags }) => ({
          start,
          count,
          titles,
          titleEnds,
          otherTitles,
          flags,
        })),
      })
      // All titles at once would take longer to copy than a task of the page may.
      if (sentChunkCount < forest.chunks.length) await new Promise((resolve) => setTimeout(resolve))
    }
    if (forest.changedTitles.size > 0) worker.send({ task: 'retitle', titles: forest.changedTitles })
    const state = `${forest.count} ${tree.status} ${tree.findingTotal}`
    if (state === sentCards) return
    sentCards = state
    const { parent } = forest.linkColumns
    const { children, problem } = forest.countColumns
    const parents = parent.slice(0, forest.count)
    const childCounts = children.slice(0, forest.count)
    const problems = problem.slice(0, forest.count)
    worker.send({ task: 'cards', parents, childCounts, problems }, [
      parents.buffer,
      childCounts.buffer,
      problems.buffer,
    ])
    await new Promise((resolve) => setTimeout(resolve))
  }

  async function placeRows(): Promise<void> {
    isPlacing = true
    try {
      do {
        isOutdated = false
        await sendCards()
        const { rows, filter } = tree
        const nodes = rows.nodes.slice(0, rows.length)
        const depths = rows.depths.slice(0, rows.length)
        const nextPlan = await worker.layout(
          { task: 'layout', nodes, depths, matches: filter?.marks ?? null, projection: projection.value },
          [nodes.buffer, depths.buffer],
        )
        plan.value = nextPlan
        revision.value += 1
      } while (isOutdated)
    } catch (thrown) {
      if (!isClosed) error.value = thrown instanceof Error ? thrown : new Error(String(thrown))
    } finally {
      isPlacing = false
    }
  }

  function place(): void {
    if (isPlacing) isOutdated = true
    else placement = placeRows()
  }
  watch([() => tree.rows, () => tree.status, projection], () => hasLook && place())

  const getColor = useNodeColor()
  const marks = computed((): MapCardMarks[] =>
    nodesInFrame.value.flatMap((node) => {
      const color = getColor(node)
      const change = changeByTone[changes.getTone(node)]
      return color || change ? [{ node, color, change }] : []
    }),
  )
  watch(marks, (next, previous) => {
    if (JSON.stringify(next) === JSON.stringify(previous)) return
    worker.send({ task: 'marks', marks: next })
    revision.value += 1
  })

  /** The first look comes before the titles, which would be measured in a wrong font without it. */
  function setLook(look: MapLook): void {
    worker.send({ task: 'look', look })
    revision.value += 1
    if (!hasLook) place()
    hasLook = true
  }

  async function draw(request: MapFrameRequest): Promise<MapFrame> {
    const frame = await worker.draw(request)
    nodesInFrame.value = [...frame.shapes.nodes].filter((_node, index) => frame.shapes.blockSizes[index] === 0)
    return frame
  }

  /** The place of a card once the rows are placed; null if it is not visible. */
  async function locate(node: number): Promise<MapBounds | null> {
    await placement
    return worker.locate(node).catch(() => null)
  }

  const exportFrame = (frame: MapFrameRequest, format: 'png' | 'svg'): Promise<Blob> => worker.export(frame, format)

  onScopeDispose(() => {
    isClosed = true
    worker.close()
  })

  return { plan, error, revision, setLook, draw, locate, exportFrame }
}
