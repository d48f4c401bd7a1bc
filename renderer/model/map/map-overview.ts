import type { MapLayout } from './map-layout.ts'
import { FONT_PX, MAX_LABELS, OVERVIEW_FONT_PX, type MapLabel } from './map-labels.ts'
import type { MapShapes } from './map-shapes.ts'
import type { MapSize, MapView } from './map-view.ts'

/** The largest branches of a map that is too small for the boxes of its cards. */
export interface MapOverview {
  readonly shapes: MapShapes
  readonly labels: readonly MapLabel[]
}

export interface BranchMeasures {
  /** Width of a title at `FONT_PX`. */
  getWidth(row: number): number
  /** Number of cards in the branch of a row with the row itself, also of collapsed ones. */
  getBranchSize(row: number): number
  /** Drawn before all others, unless it is out of sight; -1 for none. */
  readonly selectedRow: number
}

export function formatHiddenCount(count: number): string {
  return `+${count.toLocaleString('en')}`
}

/** Fewer titles than these are not enough to find one's way, so others leave their place. */
const MIN_TITLES = 30
const LANE_PX = 20
const BOX_HEIGHT_PX = 17
const MAX_BOX_WIDTH_PX = 220
/** Beside another title, one would seem to be below it, so lanes as near as these are better. */
const MAX_NEAR_LANES = 5
const GAP_PX = 8
const INSET_PX = 8
const COUNT_CHARACTER_PX = 6.5
/** Titles of roots and their children are bold, and about this much wider. */
const BOLD_SCALE = 1.1
/** Rows that found no room one after the other, after which no more are tried. */
const MAX_FAILURES = 1_000

interface PlacedBranch {
  readonly row: number
  readonly x: number
  readonly y: number
  readonly width: number
}

/** Branches from the largest to the smallest, those of the same size from the first to the last. */
export function orderBranches({ length }: MapLayout, getBranchSize: (row: number) => number): Int32Array {
  const sizes = new Uint32Array(length)
  for (let row = 0; row < length; row += 1) sizes[row] = getBranchSize(row)
  // Most branches are one card, and none has more than the map, so counting is faster than sorting.
  const ends = new Uint32Array(sizes.reduce((max, size) => Math.max(max, size), 0) + 1)
  for (const size of sizes) ends[size] = (ends[size] ?? 0) + 1
  for (let size = ends.length - 2; size >= 0; size -= 1) ends[size] = (ends[size] ?? 0) + (ends[size + 1] ?? 0)
  const order = new Int32Array(length)
  for (let row = length - 1; row >= 0; row -= 1) {
    const size = sizes[row] ?? 0
    const position = (ends[size] ?? 0) - 1
    ends[size] = position
    order[position] = row
  }
  return order
}

/**
 * Selects the largest branches in sight whose titles do not touch, each near the place of its root.
 * All others are counted in the branch that is drawn above them.
 * @param order see `orderBranches`
 * @param margin around the window in the frame; a window has `MIN_TITLES` as far as there are cards
 */
export function selectOverview(
  layout: MapLayout,
  order: Int32Array,
  view: MapView,
  frame: MapSize,
  margin: number,
  measures: BranchMeasures,
): MapOverview {
  const lanes = new TitleLanes(Math.round(view.y * view.zoomY) % LANE_PX)
  const placed: PlacedBranch[] = []
  const displaced: PlacedBranch[] = []
  const isInWindow = ({ x, y, width }: PlacedBranch): boolean =>
    x >= margin && x + width <= frame.width - margin && y >= margin && y + LANE_PX <= frame.height - margin
  const add = (branch: PlacedBranch): void => {
    lanes.take(branch)
    placed.push(branch)
  }
  const tryRow = (row: number): void => {
    if (isFarAway(layout, view, frame, row)) return
    const branch = lanes.snap(measureBranch(layout, view, row, measures))
    const isOutside = branch.x > frame.width || branch.x + branch.width < 0 || branch.y < 0 || branch.y > frame.height
    if (isOutside) return
    if (lanes.isFree(branch)) {
      add(branch)
      failures = 0
    } else {
      failures += 1
      if (displaced.length < MIN_TITLES && isNearWindow(branch, frame, margin)) displaced.push(branch)
    }
  }
  let failures = 0
  if (measures.selectedRow >= 0 && measures.selectedRow < layout.length) tryRow(measures.selectedRow)
  for (const row of order) {
    if (placed.length === MAX_LABELS || failures > MAX_FAILURES) break
    if (row !== measures.selectedRow) tryRow(row)
  }
  let windowCount = placed.filter(isInWindow).length
  for (const branch of displaced) {
    if (windowCount >= MIN_TITLES) break
    const other = lanes.findFree(branch, frame, margin)
    if (other === null) continue
    add(other)
    windowCount += 1
  }
  return { shapes: toShapes(layout, placed), labels: toLabels(layout, placed, measures) }
}

const isNearWindow = ({ x, y, width }: PlacedBranch, frame: MapSize, margin: number): boolean =>
  x + width > margin && x < frame.width - margin && y + LANE_PX > margin && y < frame.height - margin

/** Most rows are: they are told from their place across alone. */
function isFarAway(
  { across, acrossSizes, projection }: MapLayout,
  view: MapView,
  frame: MapSize,
  row: number,
): boolean {
  const middle = (across[row] ?? 0) + (acrossSizes[row] ?? 0) / 2
  const [position, limit] =
    projection === 'down'
      ? [(middle - view.x) * view.zoomX, frame.width]
      : [(middle - view.y) * view.zoomY, frame.height]
  return position < -MAX_BOX_WIDTH_PX || position > limit + MAX_BOX_WIDTH_PX
}

/** Boxes on the left side of a root keep the end that is next to it. */
function measureBranch(layout: MapLayout, view: MapView, row: number, measures: BranchMeasures): PlacedBranch {
  const { along, across, alongSizes, acrossSizes, parents, projection } = layout
  const count = measures.getBranchSize(row) - 1
  const boldScale = (layout.depths[row] ?? 0) < 2 ? BOLD_SCALE : 1
  const titleWidth = Math.ceil((measures.getWidth(row) * boldScale * OVERVIEW_FONT_PX) / FONT_PX)
  const width = Math.min(MAX_BOX_WIDTH_PX, titleWidth + 2 * INSET_PX + measureCount(count))
  const [start, breadth] = [along[row] ?? 0, acrossSizes[row] ?? 0]
  const middle = (across[row] ?? 0) + breadth / 2
  if (projection === 'down')
    return { row, x: (middle - view.x) * view.zoomX - width / 2, y: (start - view.y) * view.zoomY, width }
  const isMirrored = start < (along[parents[row] ?? -1] ?? -Infinity)
  const x = (start + (isMirrored ? (alongSizes[row] ?? 0) : 0) - view.x) * view.zoomX - (isMirrored ? width : 0)
  return { row, x, y: (middle - view.y) * view.zoomY - LANE_PX / 2, width }
}

/** The width of `formatHiddenCount`, which would take longer to format than all else here. */
function measureCount(count: number): number {
  if (count === 0) return 0
  const digitCount = String(count).length
  return (1 + digitCount + Math.floor((digitCount - 1) / 3)) * COUNT_CHARACTER_PX + GAP_PX
}

/** The horizontal spans that are taken, in lanes that move with the plane. */
class TitleLanes {
  readonly #offset: number
  readonly #lanes = new Map<number, [number, number][]>()

  constructor(offset: number) {
    this.#offset = offset
  }

  snap(branch: PlacedBranch): PlacedBranch {
    return { ...branch, y: this.#getLane(branch.y) * LANE_PX - this.#offset }
  }

  #getLane(y: number): number {
    return Math.round((y + this.#offset) / LANE_PX)
  }

  isFree({ x, y, width }: PlacedBranch): boolean {
    const spans = this.#lanes.get(this.#getLane(y))
    return spans?.some(([from, to]) => from < x + width + GAP_PX && to > x - GAP_PX) !== true
  }

  take({ x, y, width }: PlacedBranch): void {
    const lane = this.#getLane(y)
    const spans = this.#lanes.get(lane)
    if (spans) spans.push([x, x + width])
    else this.#lanes.set(lane, [[x, x + width]])
  }

  #findRoom(lane: number, start: number, width: number): number {
    const spans = this.#lanes.get(lane) ?? []
    const findObstacle = (x: number) => spans.find(([from, to]) => from < x + width + GAP_PX && to > x - GAP_PX)
    let x = start
    for (let obstacle = findObstacle(x); obstacle; obstacle = findObstacle(x)) x = obstacle[1] + GAP_PX
    return x
  }

  /** A near lane of the window with room at the place of a branch, otherwise beside others. */
  findFree(branch: PlacedBranch, frame: MapSize, margin: number): PlacedBranch | null {
    const [left, right] = [margin, frame.width - margin - branch.width]
    if (right < left) return null
    const top = Math.ceil((margin + this.#offset) / LANE_PX)
    const bottom = Math.floor((frame.height - margin - LANE_PX + this.#offset) / LANE_PX)
    const middle = this.#getLane(branch.y)
    const lanes = Array.from({ length: Math.max(0, bottom - top + 1) }, (_, index) => top + index)
    lanes.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))
    const ownX = Math.min(Math.max(branch.x, left), right)
    const toPlace = (lane: number, x: number): PlacedBranch => ({ ...branch, x, y: lane * LANE_PX - this.#offset })
    const nearLane = lanes.slice(0, MAX_NEAR_LANES).find((lane) => this.#findRoom(lane, ownX, branch.width) === ownX)
    if (nearLane !== undefined) return toPlace(nearLane, ownX)
    for (const lane of lanes) {
      for (const start of [ownX, left]) {
        const x = this.#findRoom(lane, start, branch.width)
        if (x <= right) return toPlace(lane, x)
      }
    }
    return null
  }
}

/** The edges lead from the nearest branch above that is drawn. */
function toShapes(layout: MapLayout, placed: readonly PlacedBranch[]): MapShapes {
  const branchByRow = new Map(placed.map((branch) => [branch.row, branch]))
  const edges: number[] = []
  const edgeRows: number[] = []
  for (const child of placed) {
    const parent = branchByRow.get(findDrawnParent(layout, branchByRow, child.row))
    if (!parent) continue
    edgeRows.push(child.row)
    const [parentMiddle, childMiddle] = [parent.y + LANE_PX / 2, child.y + LANE_PX / 2]
    const isForward = child.x >= parent.x
    if (layout.projection === 'down')
      edges.push(parent.x + parent.width / 2, parent.y + LANE_PX, child.x + child.width / 2, child.y)
    else if (isForward) edges.push(parent.x + parent.width, parentMiddle, child.x, childMiddle)
    else edges.push(parent.x, parentMiddle, child.x + child.width, childMiddle)
  }
  const inset = (LANE_PX - BOX_HEIGHT_PX) / 2
  return {
    isOverview: true,
    count: placed.length,
    rows: Int32Array.from(placed, ({ row }) => row),
    boxes: Float32Array.from(placed.flatMap(({ x, y, width }) => [x, y + inset, width, BOX_HEIGHT_PX])),
    blockSizes: new Uint32Array(placed.length),
    edgeCount: edgeRows.length,
    edges: Float32Array.from(edges),
    edgeRows: Int32Array.from(edgeRows),
  }
}

function findDrawnParent({ parents }: MapLayout, branchByRow: ReadonlyMap<number, unknown>, row: number): number {
  let parent = parents[row] ?? -1
  while (parent >= 0 && !branchByRow.has(parent)) parent = parents[parent] ?? -1
  return parent
}

/** Counts the cards below each branch that no other branch in the frame counts. */
function toLabels(layout: MapLayout, placed: readonly PlacedBranch[], measures: BranchMeasures): MapLabel[] {
  const counts = new Map(placed.map(({ row }) => [row, measures.getBranchSize(row) - 1]))
  const drawnRows = new Map(counts)
  for (const { row } of placed) {
    const parent = findDrawnParent(layout, drawnRows, row)
    if (parent >= 0) counts.set(parent, (counts.get(parent) ?? 0) - measures.getBranchSize(row))
  }
  return placed.map(({ row, x, y, width }) => {
    const hiddenCount = Math.max(0, counts.get(row) ?? 0)
    return {
      row,
      x: x + INSET_PX,
      y: y + LANE_PX / 2,
      fontPx: OVERVIEW_FONT_PX,
      maxWidth: width - 2 * INSET_PX - measureCount(hiddenCount) + 1,
      opacity: 1,
      hiddenCount,
    }
  })
}
