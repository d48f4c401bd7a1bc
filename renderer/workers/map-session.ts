import { countDescendants, formatCount, hasNumberInRange, type MapCards } from '../model/map/map-cards.ts'
import { needsOverview, raiseColumns, selectMapLabels } from '../model/map/map-labels.ts'
import {
  findNearestRow,
  layoutMap,
  linkRows,
  type MapBounds,
  type MapLayout,
  type MapProjection,
  type MapRows,
} from '../model/map/map-layout.ts'
import { composeScene, describeShapes } from '../model/map/ghost-scene.ts'
import { getGhostIndex, type MapGhosts } from '../model/map/map-ghosts.ts'
import type { MapSize, MapView } from '../model/map/map-view.ts'
import type { MapLook, MapScene } from '../model/map/map-scene.ts'
import { drawThumbnail } from '../model/map/map-thumbnail.ts'
import { orderBranches, selectOverview, type MapOverview } from '../model/map/map-overview.ts'
import { selectMapShapes, type MapShapes } from '../model/map/map-shapes.ts'
import { SubMapFrames } from '../model/map/sub-map-frames.ts'
import { drawPath } from '../model/map/path-scene.ts'
import { MapPathRows } from './map-path-rows.ts'
import { MapGhostRows } from './map-ghost-rows.ts'
import { MapTitles, type MeasureText } from './map-titles.ts'
import type { MapSubject } from './map-export.ts'
import type { MapCardMarks, MapFileRequest, MapFrameRequest, MapPlan, TitleChunk } from './map-protocol.ts'

export interface DrawnMap {
  readonly scene: MapScene
  readonly shapes: MapShapes
  readonly titled: Int32Array<ArrayBuffer>
}

const NO_ROWS: MapRows = { length: 0, nodes: new Uint32Array(0), depths: new Uint32Array(0) }
const NO_MEASURES = { getTextWidth: () => 0, getHiddenCount: () => 0 }
/** The map in the worker: the titles of all cards, and the places of those that are visible. */
export class MapSession {
  readonly #measureText: MeasureText
  #titles: MapTitles
  #parents: Int32Array = new Int32Array(0)
  #descendants: Uint32Array = new Uint32Array(0)
  #problems: Uint8Array = new Uint8Array(0)
  #problemRows: readonly number[] = []
  #matches: Uint8Array | null = null
  #layout: MapLayout = layoutMap(NO_ROWS, 'right', NO_MEASURES)
  /** Rows by the sizes of their branches; null until an overview needs them. */
  #branchOrder: Int32Array | null = null
  #ghosts = new MapGhostRows(null)
  readonly path = new MapPathRows()
  /** Row of each card; -1 if it is not visible. */
  #rowByNode = new Int32Array(0)
  #marks = new Map<number, MapCardMarks>()
  #exportMarks = new Map<number, MapCardMarks>()
  /** The color level of each card plus 1; 0 if its color is unknown. */
  #levels = new Uint8Array(0)
  #levelColors: ReadonlyMap<number, string> = new Map()
  /** The cards at the roots of the sub-maps that the host lists. */
  #subMapNodes = new Int32Array(0)
  #subMapFrames = new SubMapFrames(this.#layout, [])

  constructor(measureText: MeasureText, look: MapLook) {
    this.#measureText = measureText
    this.#titles = new MapTitles(measureText, look)
  }

  get look(): MapLook {
    return this.#titles.look
  }

  get layout(): MapLayout {
    return this.#layout
  }

  reset(): void {
    this.#titles = new MapTitles(this.#measureText, this.look)
    this.#marks.clear()
    this.#parents = new Int32Array(0)
    this.#descendants = new Uint32Array(0)
    this.#ghosts = new MapGhostRows(null)
    this.#problems = new Uint8Array(0)
    this.place(NO_ROWS, null, this.#layout.projection)
  }

  addTitles(chunks: readonly TitleChunk[]): void {
    for (const chunk of chunks) this.#titles.add(chunk)
  }

  retitle(titles: ReadonlyMap<number, string>): void {
    this.#titles.retitle(titles)
  }

  setCards(parents: Int32Array, childCounts: Uint32Array, problems: Uint8Array): void {
    this.#parents = parents
    this.#descendants = countDescendants(parents, childCounts)
    this.#problems = problems
  }

  /** They are shown as soon as the rows are placed again. */
  setGhosts(ghosts: MapGhosts | null): void {
    this.#ghosts = new MapGhostRows(ghosts).measure(() => this.#titles.getWidths())
    this.#titles.forgetFittedTitles()
  }

  setLook(look: MapLook): void {
    if (this.#titles.setLook(look)) this.#ghosts = this.#ghosts.measure(() => this.#titles.getWidths())
  }

  addExportMarks(marks: readonly MapCardMarks[]): void {
    for (const mark of marks) this.#exportMarks.set(mark.node, mark)
  }

  /** Selects what a file shows. All rows stay as they are, whatever the map shows meanwhile. */
  describeFile({ extent, frame }: Pick<MapFileRequest, 'extent' | 'frame'>): MapSubject {
    const marks = this.#exportMarks
    this.#exportMarks = new Map()
    return extent === 'window'
      ? { kind: 'window', scene: this.draw({ ...frame, margin: 0 }).scene, size: frame.size }
      : { kind: 'rows', layout: this.#layout, cards: this.#describeCards(-1, -1, marks) }
  }

  setMarks(marks: readonly MapCardMarks[]): void {
    this.#marks = new Map(marks.map((mark) => [mark.node, mark]))
  }

  setLevels(levels: Uint8Array<ArrayBuffer>, colors: ReadonlyMap<number, string>): void {
    this.#levels = levels.map((level) => (colors.has(level - 1) ? level : 0))
    this.#levelColors = colors
  }

  setSubMaps(nodes: Int32Array<ArrayBuffer>): void {
    this.#subMapNodes = nodes
    this.#frameSubMaps()
  }

  #frameSubMaps(): void {
    const rows = this.#subMapNodes.map((node) => this.#rowByNode[node] ?? -1).filter((row) => row >= 0)
    this.#subMapFrames = new SubMapFrames(this.#layout, [...rows.sort()])
  }

  place(rows: MapRows, matches: Uint8Array | null, projection: MapProjection): MapPlan {
    this.#matches = matches
    this.#indexRows(rows)
    const getHiddenCount = this.#createHiddenCounter(rows)
    const ghosts = this.#ghosts.place(rows, projection, {
      rowByNode: this.#rowByNode,
      parents: this.#parents,
      getEnds: () => linkRows(rows.depths.subarray(0, rows.length)).ends,
      isCollapsed: (row) => getHiddenCount(row) > 0,
    })
    this.#ghosts = ghosts
    const placedRows = ghosts.rows ?? rows
    const fontScales = placedRows.length === 0 ? [] : this.#titles.measureFontScales()
    this.#layout = layoutMap(placedRows, projection, {
      getTextWidth: (node, depth) => this.#getTitleWidth(node) * (fontScales[depth] ?? 1),
      getHiddenCount: this.#createHiddenCounter(placedRows),
    })
    if (ghosts.rows) this.#indexRows(ghosts.rows)
    this.#branchOrder = null
    this.path.forgetRows()
    this.#ghosts = ghosts.findTargets({ rowByNode: this.#rowByNode, parents: this.#parents })
    this.#frameSubMaps()
    const { bounds } = this.#layout
    const thumbnail = drawThumbnail(this.#layout)
    return { projection, bounds, cardCount: rows.length, ghosts: ghosts.plan, thumbnail }
  }

  #indexRows({ nodes, length }: MapRows): void {
    this.#rowByNode = new Int32Array(this.#descendants.length).fill(-1)
    const problemRows: number[] = []
    for (let row = 0; row < length; row += 1) {
      const node = nodes[row] ?? 0
      if (node < this.#rowByNode.length) this.#rowByNode[node] = row
      if (this.#problems[node] === 1) problemRows.push(row)
    }
    this.#problemRows = problemRows
  }

  /** Counts the cards in the collapsed branch of a row, or those that went with a ghost. */
  #createHiddenCounter({ nodes, depths, length }: MapRows): (row: number) => number {
    const [matches, descendants, ghosts] = [this.#matches, this.#descendants, this.#ghosts]
    return (row) => {
      const node = nodes[row] ?? 0
      const ghost = getGhostIndex(node)
      if (ghost >= 0) return ghosts.getBelow(ghost)
      if (matches !== null) return 0
      let next = row + 1
      // The first rows below may be ghosts, which a collapsed card has as well.
      while (next < length && getGhostIndex(nodes[next] ?? 0) >= 0) next += 1
      const hasCards = next < length && (depths[next] ?? 0) > (depths[row] ?? 0)
      return hasCards ? 0 : (descendants[node] ?? 0)
    }
  }

  #getTitleWidth(node: number): number {
    const ghost = getGhostIndex(node)
    return ghost >= 0 ? this.#ghosts.getWidth(ghost) : this.#titles.getWidth(node)
  }

  locate(node: number): MapBounds | null {
    const row = this.#rowByNode[node] ?? -1
    if (row < 0) return null
    const { projection, along, across, alongSizes, acrossSizes } = this.#layout
    const [start, position] = [along[row] ?? 0, across[row] ?? 0]
    const [end, limit] = [start + (alongSizes[row] ?? 0), position + (acrossSizes[row] ?? 0)]
    return projection === 'down'
      ? { left: position, right: limit, top: start, bottom: end }
      : { left: start, right: end, top: position, bottom: limit }
  }

  /** Returns the card nearest to a point of the plane; -1 if there is none. */
  findNearest({ x, y }: { readonly x: number; readonly y: number }): number {
    const { nodes } = this.#layout
    const row = findNearestRow(this.#layout, x, y, (candidate) => getGhostIndex(nodes[candidate] ?? 0) < 0)
    return nodes[row] ?? -1
  }

  /** Selects what a frame shows. The frame begins at the margin before the window. */
  draw({ view, size, margin, selected, current }: MapFrameRequest): DrawnMap {
    const frameView = { ...view, x: view.x - margin / view.zoomX, y: view.y - margin / view.zoomY }
    const frameSize = { width: size.width + 2 * margin, height: size.height + 2 * margin }
    const cards = this.#describeCards(this.#rowByNode[selected] ?? -1, this.#rowByNode[current] ?? -1)
    const { shapes, labels } = needsOverview(this.#layout, frameView)
      ? this.#selectBranches(frameView, frameSize, margin, cards)
      : this.#selectCards(frameView, frameSize, cards)
    const frames = shapes.isOverview === true ? [] : this.#subMapFrames.select(frameView, frameSize)
    const scene = { ...composeScene(this.#layout, shapes, labels, frameView, cards, frameSize), frames }
    const titled = labels.flatMap(({ row }) => {
      const node = this.#layout.nodes[row] ?? 0
      return getGhostIndex(node) >= 0 ? [] : [node]
    })
    const path = this.path.getLayer({ rowByNode: this.#rowByNode, parents: this.#parents })
    return {
      scene: path ? drawPath(scene, path, this.#layout, frameView, frameSize, formatCount) : scene,
      shapes: describeShapes(this.#layout, shapes, cards.ghosts),
      titled: Int32Array.from(titled),
    }
  }

  #selectCards(view: MapView, size: MapSize, cards: MapCards): MapOverview {
    const selection = selectMapShapes(this.#layout, view, size)
    const shapes = this.#layout.projection === 'icicle' ? raiseColumns(this.#layout, selection) : selection
    return { shapes, labels: selectMapLabels(this.#layout, shapes, view, size, cards.getHiddenCount) }
  }

  #selectBranches(view: MapView, size: MapSize, margin: number, { selectedRow }: MapCards): MapOverview {
    const { nodes, ends } = this.#layout
    const getBranchSize = (row: number): number => {
      const visibleCount = (ends[row] ?? 0) - row
      return this.#matches === null
        ? Math.max(visibleCount, (this.#descendants[nodes[row] ?? 0] ?? 0) + 1)
        : visibleCount
    }
    this.#branchOrder ??= orderBranches(this.#layout, getBranchSize)
    return selectOverview(this.#layout, this.#branchOrder, view, size, margin, {
      getWidth: (row) => this.#getTitleWidth(nodes[row] ?? 0),
      getBranchSize,
      selectedRow,
    })
  }

  #describeCards(selectedRow: number, currentRow: number, marks = this.#marks): MapCards {
    const { nodes } = this.#layout
    const [matches, ghosts, titles] = [this.#matches, this.#ghosts, this.#titles]
    const [problemRows, levels] = [this.#problemRows, this.#levels]
    const getNode = (row: number): number => nodes[row] ?? 0
    return {
      selectedRow,
      currentRow,
      ghosts: ghosts.layer,
      fitTitle: (row, maxWidth, isBold) => titles.fit(getNode(row), maxWidth, isBold, ghosts),
      getHiddenCount: this.#createHiddenCounter(this.#layout),
      getMatch: (row) => matches?.[getNode(row)] ?? 0,
      hasProblem: (row, rowCount) => hasNumberInRange(problemRows, row, row + rowCount),
      isSubMap: (row) => titles.isSubMap(getNode(row)),
      subMapFrames: this.#subMapFrames,
      getLevel: (row) => levels[getNode(row)] ?? 0,
      levelColors: this.#levelColors,
      getGlyphs: (row) => marks.get(getNode(row))?.glyphs ?? [],
      getChange: (row) => marks.get(getNode(row))?.change ?? null,
      formatCount,
    }
  }
}
