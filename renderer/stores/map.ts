import { defineStore } from './define-store.ts'
import { computed, nextTick, onScopeDispose, shallowRef, watch, type Ref } from 'vue'
import { listCardGlyphs } from '../model/map/card-glyphs.ts'
import type { MapBounds, MapProjection } from '../model/map/map-layout.ts'
import type { MapGhosts } from '../model/map/map-ghosts.ts'
import type { SubMap } from '../../shared/bridge/resources/library.ts'
import type { AppError } from '../../shared/errors.ts'
import type { MapLegend } from '../model/map/map-legend.ts'
import type { MapPath } from '../model/map/map-path.ts'
import type { MapLook } from '../model/map/map-scene.ts'
import { MapWorker } from '../workers/map-client.ts'
import type {
  MapCardMarks,
  MapFile,
  MapFileRequest,
  MapFrame,
  MapFrameRequest,
  MapPlan,
} from '../workers/map-protocol.ts'
import { toAppError } from './errors.ts'
import { useMapPath } from './map-path.ts'
import { useSubMapNodes } from './sub-maps.ts'
import { useLevelColors } from './node-color.ts'
import { useTree } from './tree.ts'
import { useTreeChanges } from './tree-changes.ts'
import { useTreeDetails } from './tree-details.ts'

export type {
  MapFile,
  MapFileFormat,
  MapFileRequest,
  MapFrame,
  MapFrameRequest,
  MapPlan,
} from '../workers/map-protocol.ts'

/** Pages of the listing that are copied to the worker in one task. */
const CHUNKS_PER_TASK = 8
const ROWS_PER_TASK = 2_000

/** The cards of a file, and those of them that were read beyond their titles. */
export interface MapCoverage {
  readonly cardCount: number
  readonly readCount: number
  /** Null without a filter. */
  readonly matchCount: number | null
}

export const useMapChoice = defineStore('map-choice', () => ({
  projection: shallowRef<MapProjection>('right'),
  hasGhosts: shallowRef(true),
}))

const changeByTone = { added: 'added', moved: 'moved', changed: 'changed', above: null, none: null } as const

/**
 * The open tree as a map, which a worker places and draws while the calling component lives. The
 * worker gets the rows of the tree, so expanding, filtering and renaming there show here as well.
 * @param ghosts former places of cards; null for none
 * @param getSubMaps returns the sub-maps that the host lists
 */
export function useMapDrawing(
  projection: Readonly<Ref<MapProjection>>,
  ghosts: Readonly<Ref<MapGhosts | null>>,
  getSubMaps: () => readonly SubMap[],
) {
  const tree = useTree()
  const changes = useTreeChanges()
  const details = useTreeDetails()
  const worker = new MapWorker(onRestored)
  const plan = shallowRef<MapPlan | null>(null)
  const error = shallowRef<AppError | null>(null)
  /** Changes whenever a frame would look different. */
  const revision = shallowRef(0)
  const nodesInFrame = shallowRef<readonly number[]>([])
  let sentForest: typeof tree.forest | null = null
  let sentChunkCount = 0
  let sentCards = ''
  let hasLook = false
  let sentGhosts: MapGhosts | null = null
  let isPlacing = false
  let isOutdated = false
  let isClosed = false
  let exporting = new AbortController()
  /** Resolves when the rows that the tree has now are placed. */
  let placement = Promise.resolve()

  async function sendCards(): Promise<void> {
    const { forest } = tree
    if (sentForest !== forest) {
      worker.send('reset', undefined)
      sentForest = forest
      sentChunkCount = 0
      sentCards = ''
      sentGhosts = null
    }
    while (sentChunkCount < forest.chunks.length && sentForest === forest) {
      const chunks = forest.chunks.slice(sentChunkCount, sentChunkCount + CHUNKS_PER_TASK)
      sentChunkCount += chunks.length
      worker.send(
        'addTitles',
        chunks.map(({ start, count, titles, titleEnds, otherTitles, flags }) => ({
          start,
          count,
          titles,
          titleEnds,
          otherTitles,
          flags,
        })),
      )
      // All titles at once would take longer to copy than a task of the page may.
      if (sentChunkCount < forest.chunks.length) await new Promise((resolve) => setTimeout(resolve))
    }
    if (forest.changedTitles.size > 0) worker.send('retitle', forest.changedTitles)
    const state = `${forest.count} ${tree.status} ${tree.findingTotal}`
    if (state === sentCards) return
    sentCards = state
    const { parent } = forest.linkColumns
    const { children, problem } = forest.countColumns
    const parents = parent.slice(0, forest.count)
    const childCounts = children.slice(0, forest.count)
    const problems = problem.slice(0, forest.count)
    worker.send('setCards', { parents, childCounts, problems }, [parents.buffer, childCounts.buffer, problems.buffer])
    await new Promise((resolve) => setTimeout(resolve))
  }

  async function placeRows(): Promise<void> {
    isPlacing = true
    try {
      do {
        isOutdated = false
        await sendCards()
        if (sentGhosts !== ghosts.value) worker.send('setGhosts', ghosts.value)
        sentGhosts = ghosts.value
        const { rows, filter } = tree
        const nodes = rows.nodes.slice(0, rows.length)
        const depths = rows.depths.slice(0, rows.length)
        plan.value = await worker.call(
          'place',
          { nodes, depths, matches: filter?.marks ?? null, projection: projection.value },
          { transfer: [nodes.buffer, depths.buffer] },
        )
        revision.value += 1
      } while (isOutdated)
    } catch (thrown) {
      if (!isClosed) error.value = toAppError(thrown)
    } finally {
      isPlacing = false
    }
  }

  function place(): void {
    if (isPlacing) isOutdated = true
    else placement = placeRows()
  }
  watch([() => tree.rows, () => tree.status, projection, ghosts], () => hasLook && place())

  const levelColors = useLevelColors()
  function sendLevels(): void {
    const levels = details.copyLevels()
    worker.send('setLevels', { levels, colors: levelColors.value }, [levels.buffer])
    revision.value += 1
  }
  watch([() => details.readRevision, levelColors], () => hasLook && sendLevels())

  const subMapNodes = useSubMapNodes(getSubMaps)
  function sendSubMaps(): void {
    worker.send('setSubMaps', subMapNodes.value)
    revision.value += 1
  }
  watch(subMapNodes, () => hasLook && sendSubMaps())

  const describeMarks = (node: number): MapCardMarks | null => {
    const change = changeByTone[changes.getTone(node)]
    const cardMarks = details.marks.get(node)
    const glyphs = cardMarks ? listCardGlyphs(cardMarks) : []
    return change || glyphs.length > 0 ? { node, change, glyphs } : null
  }
  const marks = computed((): MapCardMarks[] => nodesInFrame.value.flatMap((node) => describeMarks(node) ?? []))
  watch(marks, (next, previous) => {
    if (JSON.stringify(next) === JSON.stringify(previous)) return
    worker.send('setMarks', next)
    revision.value += 1
  })

  const path = useMapPath()
  let sentPath: MapPath | null = null
  function sendPath(): void {
    const columns = path.current?.columns ?? null
    if (columns !== sentPath) worker.send('setPath', columns)
    sentPath = columns
    worker.send('showCalls', path.callCount)
    revision.value += 1
  }
  watch([() => path.current, () => path.callCount], sendPath)

  /** The first look comes before the titles, which would be measured in a wrong font without it. */
  function setLook(look: MapLook): void {
    worker.send('setLook', look)
    revision.value += 1
    if (hasLook) return
    hasLook = true
    sendLevels()
    sendSubMaps()
    sendPath()
    place()
  }

  async function draw(request: MapFrameRequest): Promise<MapFrame> {
    const frame = await worker.call('drawFrame', request).catch((thrown: unknown) => {
      if (!isClosed) error.value = toAppError(thrown)
      throw thrown
    })
    nodesInFrame.value = [...frame.shapes.nodes].filter(
      (node, index) => node >= 0 && frame.shapes.blockSizes[index] === 0,
    )
    return frame
  }

  /** The place of a card once the rows are placed; null if it is not visible. */
  async function locate(node: number): Promise<MapBounds | null> {
    await placement
    return worker.call('locate', node).catch(() => null)
  }

  const findNearest = (x: number, y: number): Promise<number> => worker.call('findNearest', { x, y }).catch(() => -1)

  function onRestored(): void {
    if (error.value?.code === 'MAP_LOST') error.value = null
    revision.value += 1
  }

  /**
   * Writes a file of all rows, or of what the window shows. What is known of the cards beyond their
   * titles is collected first, so that the legend can say of how many cards it is.
   * @param windowNodes the cards that the window shows one by one
   * @param describe returns the legend
   * @returns null if it was stopped
   */
  async function exportFile(
    request: Omit<MapFileRequest, 'legend'>,
    windowNodes: readonly number[],
    describe: (coverage: MapCoverage) => MapLegend,
    onProgress: (percent: number) => void,
  ): Promise<MapFile | null> {
    exporting.abort()
    exporting = new AbortController()
    for (;;) {
      const { rows } = tree
      await nextTick()
      await placement
      const nodes = request.extent === 'rows' ? rows.nodes.slice(0, rows.length) : Uint32Array.from(windowNodes)
      const coverage = await sendExportMarks(nodes)
      if (exporting.signal.aborted) return null
      // The legend counts the rows that the worker has placed, so these must not change meanwhile.
      if (tree.rows !== rows) continue
      const file = { ...request, legend: describe(coverage) }
      return worker.call('writeFile', file, { signal: exporting.signal, onPart: onProgress })
    }
  }

  /** Counts the cards of a file, and sends the marks of those that were read. */
  async function sendExportMarks(nodes: Uint32Array): Promise<MapCoverage> {
    const matches = tree.filter?.marks
    let [readCount, matchCount] = [0, 0]
    for (let start = 0; start < nodes.length && !exporting.signal.aborted; start += ROWS_PER_TASK) {
      const marks: MapCardMarks[] = []
      for (const node of nodes.subarray(start, start + ROWS_PER_TASK)) {
        if (details.marks.has(node)) readCount += 1
        if (matches?.[node] === 2) matchCount += 1
        const mark = describeMarks(node)
        if (mark) marks.push(mark)
      }
      if (marks.length > 0) worker.send('addExportMarks', marks)
      await new Promise((resolve) => setTimeout(resolve))
    }
    return { cardCount: nodes.length, readCount, matchCount: matches ? matchCount : null }
  }

  function stopExport(): void {
    exporting.abort()
  }

  onScopeDispose(() => {
    isClosed = true
    worker.close()
  })

  return { plan, error, revision, setLook, draw, locate, findNearest, exportFile, stopExport }
}
