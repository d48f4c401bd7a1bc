import { getGaps, type MapLayout } from './map-layout.ts'
import type { MapSize, MapView } from './map-view.ts'

/** The shapes of one frame, in pixels of the frame. */
export interface MapShapes {
  /** True for boxes of branches, which have a size of their own at every zoom. */
  readonly isOverview?: boolean
  /** Number of boxes and blocks. */
  readonly count: number
  readonly rows: Int32Array
  /** Left, top, width and height of each shape. */
  readonly boxes: Float32Array
  /** Number of rows that a block stands for; 0 for the box of a single card. */
  readonly blockSizes: Uint32Array
  readonly edgeCount: number
  /** The ends of each edge: x and y at the parent, x and y at the child. */
  readonly edges: Float32Array
  /** The row at the child's end of each edge. */
  readonly edgeRows: Int32Array
}

/** Frames with more shapes than this take longer than a frame should. */
export const MAX_SHAPES = 4_000
const MAX_EDGES = 4_000
/** A branch that is smaller than this is drawn as one block. */
const MIN_BRANCH_PX = 3
/** Edges whose ends are closer to each other look like one. */
const MIN_EDGE_DISTANCE_PX = 3
/** Nobody follows an edge further out of sight. */
const MAX_EDGE_LENGTH_PX = 20_000

/** Selects what is in sight. Branches that are too small to be seen become blocks. */
export function selectMapShapes(layout: MapLayout, view: MapView, size: MapSize): MapShapes {
  for (let minBranchPx = MIN_BRANCH_PX; ; minBranchPx *= 1.6) {
    const selection = new ShapeSelection(layout, view, size, minBranchPx)
    if (selection.run()) return selection.shapes
  }
}

class ShapeSelection {
  readonly #layout: MapLayout
  readonly #alongZoom: number
  readonly #acrossZoom: number
  readonly #isDown: boolean
  readonly #gaps: ReturnType<typeof getGaps>
  readonly #minBranchPx: number
  /** The frame in units of the plane, along and across. */
  readonly #alongStart: number
  readonly #acrossStart: number
  readonly #alongEnd: number
  readonly #acrossEnd: number
  readonly #rows = new Int32Array(MAX_SHAPES)
  readonly #boxes = new Float32Array(MAX_SHAPES * 4)
  readonly #blockSizes = new Uint32Array(MAX_SHAPES)
  readonly #edges = new Float32Array(MAX_EDGES * 4)
  readonly #edgeRows = new Int32Array(MAX_EDGES)
  #count = 0
  #edgeCount = 0
  /** Siblings that become one block: their first row and what they cover. */
  #blockRow = -1
  #blockParent = -1
  #blockEnd = 0
  #blockAlongMin = 0
  #blockAlongMax = 0
  #blockStart = 0
  #blockLimit = 0
  #lastEdgeParent = -1
  #lastEdgeAcross = 0

  constructor(layout: MapLayout, view: MapView, size: MapSize, minBranchPx: number) {
    const isDown = layout.projection === 'down'
    this.#layout = layout
    this.#alongZoom = isDown ? view.zoomY : view.zoomX
    this.#acrossZoom = isDown ? view.zoomX : view.zoomY
    this.#isDown = isDown
    this.#gaps = getGaps(layout.projection)
    this.#minBranchPx = minBranchPx
    this.#alongStart = isDown ? view.y : view.x
    this.#acrossStart = isDown ? view.x : view.y
    this.#alongEnd = this.#alongStart + (isDown ? size.height : size.width) / this.#alongZoom
    this.#acrossEnd = this.#acrossStart + (isDown ? size.width : size.height) / this.#acrossZoom
  }

  get shapes(): MapShapes {
    return {
      count: this.#count,
      rows: this.#rows.slice(0, this.#count),
      boxes: this.#boxes.slice(0, this.#count * 4),
      blockSizes: this.#blockSizes.slice(0, this.#count),
      edgeCount: this.#edgeCount,
      edges: this.#edges.slice(0, this.#edgeCount * 4),
      edgeRows: this.#edgeRows.slice(0, this.#edgeCount),
    }
  }

  /** Returns false if there are too many shapes. */
  run(): boolean {
    const { length, parents, ends, across, acrossBefore, acrossAfter, alongMin, alongMax } = this.#layout
    const minBranch = this.#minBranchPx / this.#acrossZoom
    for (let row = 0; row < length;) {
      const end = ends[row] ?? length
      const position = across[row] ?? 0
      const start = position - (acrossBefore[row] ?? 0)
      const limit = position + (acrossAfter[row] ?? 0)
      const isInSight =
        limit >= this.#acrossStart &&
        start <= this.#acrossEnd &&
        (alongMax[row] ?? 0) >= this.#alongStart &&
        (alongMin[row] ?? 0) <= this.#alongEnd
      const isBlock = limit - start < minBranch
      if (isInSight && isBlock) {
        if (!this.#addToBlock(row, end, start, limit)) return false
      } else {
        if (this.#blockRow >= 0 && this.#blockParent === parents[row] && !this.#flushBlock()) return false
        this.#addEdge(row, position + ((this.#layout.acrossSizes[row] ?? 0) - this.#gaps.across) / 2)
        if (isInSight && !this.#addBox(row)) return false
      }
      row = isInSight && !isBlock ? row + 1 : end
    }
    return this.#flushBlock()
  }

  #addToBlock(row: number, end: number, start: number, limit: number): boolean {
    const { parents, alongMin, alongMax } = this.#layout
    const parent = parents[row] ?? -1
    const isSameBlock =
      this.#blockRow >= 0 &&
      this.#blockParent === parent &&
      this.#blockEnd === row &&
      Math.max(limit, this.#blockLimit) - this.#blockStart < (2 * this.#minBranchPx) / this.#acrossZoom
    if (!isSameBlock) {
      if (!this.#flushBlock()) return false
      this.#blockRow = row
      this.#blockParent = parent
      this.#blockStart = start
      this.#blockLimit = limit
      this.#blockAlongMin = alongMin[row] ?? 0
      this.#blockAlongMax = alongMax[row] ?? 0
    }
    this.#blockEnd = end
    this.#blockStart = Math.min(this.#blockStart, start)
    this.#blockLimit = Math.max(this.#blockLimit, limit)
    this.#blockAlongMin = Math.min(this.#blockAlongMin, alongMin[row] ?? 0)
    this.#blockAlongMax = Math.max(this.#blockAlongMax, alongMax[row] ?? 0)
    return true
  }

  #flushBlock(): boolean {
    const row = this.#blockRow
    if (row < 0) return true
    this.#blockRow = -1
    const [start, limit] = [this.#blockStart, this.#blockLimit]
    this.#addEdge(row, (start + limit) / 2)
    return this.#add(
      row,
      this.#blockEnd - row,
      this.#blockAlongMin,
      start,
      this.#blockAlongMax - this.#blockAlongMin,
      limit - start,
    )
  }

  #addBox(row: number): boolean {
    const { along, across, alongSizes, acrossSizes } = this.#layout
    const [x, y] = [along[row] ?? 0, across[row] ?? 0]
    const length = (alongSizes[row] ?? 0) - this.#gaps.along
    const breadth = (acrossSizes[row] ?? 0) - this.#gaps.across
    const isOutside =
      x + length < this.#alongStart || x > this.#alongEnd || y + breadth < this.#acrossStart || y > this.#acrossEnd
    return isOutside || this.#add(row, 0, x, y, length, breadth)
  }

  #add(row: number, blockSize: number, along: number, across: number, length: number, breadth: number): boolean {
    if (this.#count === MAX_SHAPES) return false
    const [x, y] = [(along - this.#alongStart) * this.#alongZoom, (across - this.#acrossStart) * this.#acrossZoom]
    const [width, height] = [length * this.#alongZoom, breadth * this.#acrossZoom]
    this.#rows[this.#count] = row
    this.#blockSizes[this.#count] = blockSize
    this.#boxes.set(this.#isDown ? [y, x, height, width] : [x, y, width, height], this.#count * 4)
    this.#count += 1
    return true
  }

  /** Adds the edge from the parent of a row. Of edges that lie on each other, one is enough. */
  #addEdge(row: number, middle: number): void {
    const { projection, parents, along, alongSizes, across, acrossSizes } = this.#layout
    const parent = parents[row] ?? -1
    if (parent < 0 || projection === 'icicle' || this.#edgeCount === MAX_EDGES) return
    const isForward = (along[row] ?? 0) > (along[parent] ?? 0)
    const [rowLength, parentLength] = [alongSizes[row] ?? 0, alongSizes[parent] ?? 0]
    const from = (along[parent] ?? 0) + (isForward ? parentLength - this.#gaps.along : 0)
    const to = (along[row] ?? 0) + (isForward ? 0 : rowLength - this.#gaps.along)
    const parentMiddle = (across[parent] ?? 0) + ((acrossSizes[parent] ?? 0) - this.#gaps.across) / 2
    const isInSight =
      Math.max(from, to) >= this.#alongStart &&
      Math.min(from, to) <= this.#alongEnd &&
      Math.max(middle, parentMiddle) >= this.#acrossStart &&
      Math.min(middle, parentMiddle) <= this.#acrossEnd
    if (!isInSight) return
    const acrossPx = (middle - this.#acrossStart) * this.#acrossZoom
    const isHidden = this.#lastEdgeParent === parent && Math.abs(acrossPx - this.#lastEdgeAcross) < MIN_EDGE_DISTANCE_PX
    if (isHidden || Math.abs(acrossPx) > MAX_EDGE_LENGTH_PX) return
    this.#lastEdgeParent = parent
    this.#lastEdgeAcross = acrossPx
    const parentPx = (parentMiddle - this.#acrossStart) * this.#acrossZoom
    const fromPx = (from - this.#alongStart) * this.#alongZoom
    const toPx = (to - this.#alongStart) * this.#alongZoom
    this.#edgeRows[this.#edgeCount] = row
    this.#edges.set(
      this.#isDown ? [parentPx, fromPx, acrossPx, toPx] : [fromPx, parentPx, toPx, acrossPx],
      this.#edgeCount * 4,
    )
    this.#edgeCount += 1
  }
}
