// Places the cards of a mind map on a plane: a hundred thousand boxes in a fraction of a second, in
// typed arrays. `renderer/workers/map-painter.ts` draws what map-shapes.ts selects of them. Read
// this file first, then tidy-branch.ts and map-shapes.ts.

import { TidyBranchLayout } from './tidy-branch.ts'

/** How a map is drawn: branches grow in a direction, or columns whose heights count the cards. */
export const mapProjections = ['right', 'left', 'both', 'down', 'icicle'] as const
export type MapProjection = (typeof mapProjections)[number]

export interface MapRows {
  readonly length: number
  /** Index of the card in each row, in preorder. */
  readonly nodes: Uint32Array
  readonly depths: Uint32Array
}

/**
 * The plane of a map in pixels at a zoom of 1. Branches grow along one axis, and siblings follow
 * each other across it. Along is horizontal unless the map grows downwards.
 */
export interface MapLayout {
  readonly projection: MapProjection
  readonly length: number
  readonly nodes: Uint32Array
  readonly depths: Uint32Array
  readonly parents: Int32Array
  /** The row after the last row below each row. */
  readonly ends: Int32Array
  readonly along: Float32Array
  readonly across: Float64Array
  /** Sizes with the gaps around a box. */
  readonly alongSizes: Float32Array
  readonly acrossSizes: Float32Array
  /** Extent of a card's branch: along as positions, across as distances from the row. */
  readonly alongMin: Float32Array
  readonly alongMax: Float32Array
  readonly acrossBefore: Float32Array
  readonly acrossAfter: Float32Array
  readonly bounds: MapBounds
}

export interface MapBounds {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Known before the cards are placed. */
export interface MapMeasures {
  /** Width of a title in pixels at a zoom of 1. */
  getTextWidth(node: number, depth: number): number
  /** Number of cards in the collapsed branch of a row; 0 if it is not collapsed. */
  getHiddenCount(row: number): number
}

/** Space between a box and its children, where the edges are. */
const LEVEL_GAP_PX = 36
const DOWN_LEVEL_GAP_PX = 30
const SIBLING_GAP_PX = 6
const DOWN_SIBLING_GAP_PX = 14
const ROOT_GAP_PX = 24
/** Heights of the boxes of roots, their children and all others. */
const BOX_HEIGHTS_PX = [34, 28, 24] as const
/** Space for the text's insets, and for the badge of a collapsed branch. */
const BOX_INSET_PX = 20
const BADGE_WIDTH_PX = 44
const ICICLE_COLUMN_PX = 190
export const ICICLE_ROW_PX = 20

export function getBoxHeight(depth: number): number {
  return BOX_HEIGHTS_PX[Math.min(depth, 2)] ?? 24
}

/** The gaps that are part of the sizes of a projection. */
export function getGaps(projection: MapProjection): { readonly along: number; readonly across: number } {
  if (projection === 'icicle') return { along: 0, across: 0 }
  return projection === 'down'
    ? { along: DOWN_LEVEL_GAP_PX, across: DOWN_SIBLING_GAP_PX }
    : { along: LEVEL_GAP_PX, across: SIBLING_GAP_PX }
}

/** Width of the badge beside a box; 0 if the box has none. */
export function getBadgeWidth(hiddenCount: number): number {
  return hiddenCount > 0 ? BADGE_WIDTH_PX : 0
}

export function layoutMap(rows: MapRows, projection: MapProjection, measures: MapMeasures): MapLayout {
  const { length } = rows
  const [nodes, depths] = [rows.nodes.subarray(0, length), rows.depths.subarray(0, length)]
  const { parents, ends } = linkRows(depths)
  const along = new Float32Array(length)
  const across = new Float64Array(length)
  const alongSizes = new Float32Array(length)
  const acrossSizes = new Float32Array(length)
  const draft = { projection, length, nodes, depths, parents, ends, along, across, alongSizes, acrossSizes }
  if (projection === 'icicle') placeColumns(draft, measures)
  else placeBranches(draft, measures)
  return { ...draft, ...measureBranches(draft) }
}

type LayoutDraft = Omit<MapLayout, 'alongMin' | 'alongMax' | 'acrossBefore' | 'acrossAfter' | 'bounds'>

/** Finds parents and the ends of branches from the depths of rows in preorder. */
export function linkRows(depths: Uint32Array): { parents: Int32Array; ends: Int32Array } {
  const { length } = depths
  const parents = new Int32Array(length).fill(-1)
  const ends = new Int32Array(length).fill(length)
  let current = -1
  for (let row = 0; row < length; row += 1) {
    const depth = depths[row] ?? 0
    while (current >= 0 && (depths[current] ?? 0) >= depth) {
      ends[current] = row
      current = parents[current] ?? -1
    }
    parents[row] = current
    current = row
  }
  return { parents, ends }
}

function placeBranches(draft: LayoutDraft, measures: MapMeasures): void {
  const { projection, length, ends, across, acrossSizes } = draft
  measureBoxes(draft, measures)
  const tidy = new TidyBranchLayout(draft)
  let position = 0
  for (let root = 0; root < length;) {
    const end = ends[root] ?? length
    const split = projection === 'both' ? findSplit(root, end, ends) : end
    if (split < end) tidy.place(root, split, end, across)
    tidy.place(root, root + 1, split, across)
    let [min, max] = [0, 0]
    for (let row = root; row < end; row += 1) {
      min = Math.min(min, across[row] ?? 0)
      max = Math.max(max, (across[row] ?? 0) + (acrossSizes[row] ?? 0))
    }
    for (let row = root; row < end; row += 1) across[row] = (across[row] ?? 0) + position - min
    position += max - min + ROOT_GAP_PX
    if (projection === 'left') mirror(draft, root, root, end)
    else if (split < end) mirror(draft, root, split, end)
    root = end
  }
}

function measureBoxes(
  { projection, length, nodes, depths, parents, ...sizes }: LayoutDraft,
  measures: MapMeasures,
): void {
  const { along, alongSizes, acrossSizes } = sizes
  const gaps = getGaps(projection)
  const isDown = projection === 'down'
  for (let row = 0; row < length; row += 1) {
    const [node, depth, parent] = [nodes[row] ?? 0, depths[row] ?? 0, parents[row] ?? -1]
    const width = measures.getTextWidth(node, depth) + BOX_INSET_PX + getBadgeWidth(measures.getHiddenCount(row))
    const height = getBoxHeight(depth)
    alongSizes[row] = (isDown ? height : width) + gaps.along
    acrossSizes[row] = (isDown ? width : height) + gaps.across
    along[row] = parent < 0 ? 0 : (along[parent] ?? 0) + (alongSizes[parent] ?? 0)
  }
}

/** The first row of the branches on the left: half of the cards are on either side. */
function findSplit(root: number, end: number, ends: Int32Array): number {
  const half = (end - root - 1) / 2
  let row = root + 1
  for (let next = row; row < end; row = next) {
    next = ends[row] ?? end
    const [before, after] = [row - root - 1, next - root - 1]
    // The branch in the middle goes where the sides differ less.
    if (after > half) return before > 0 && half - before < after - half ? row : next
  }
  return end
}

/** Turns rows of a root to its other side. */
function mirror({ projection, along, alongSizes }: LayoutDraft, root: number, from: number, end: number): void {
  const gap = getGaps(projection).along
  const rootLength = (alongSizes[root] ?? 0) - gap
  for (let row = from; row < end; row += 1) along[row] = rootLength - (along[row] ?? 0) - ((alongSizes[row] ?? 0) - gap)
}

/** Columns by depth. The height of a box is the number of cards in it that have no children. */
function placeColumns(draft: LayoutDraft, measures: MapMeasures): void {
  const { length, depths, parents, ends, along, across, alongSizes, acrossSizes } = draft
  alongSizes.fill(ICICLE_COLUMN_PX)
  for (let row = length - 1; row >= 0; row -= 1) {
    const parent = parents[row] ?? -1
    if (ends[row] === row + 1) acrossSizes[row] = Math.max(1, measures.getHiddenCount(row)) * ICICLE_ROW_PX
    if (parent >= 0) acrossSizes[parent] = (acrossSizes[parent] ?? 0) + (acrossSizes[row] ?? 0)
  }
  let position = 0
  for (let row = 0; row < length; row += 1) {
    along[row] = (depths[row] ?? 0) * ICICLE_COLUMN_PX
    across[row] = position
    if (ends[row] === row + 1) position += acrossSizes[row] ?? 0
  }
}

function measureBranches(
  draft: LayoutDraft,
): Pick<MapLayout, 'alongMin' | 'alongMax' | 'acrossBefore' | 'acrossAfter' | 'bounds'> {
  const { projection, length, parents, along, across, alongSizes, acrossSizes } = draft
  const alongMin = along.slice()
  const alongMax = new Float32Array(length)
  const acrossBefore = new Float32Array(length)
  const acrossAfter = acrossSizes.slice()
  const gap = getGaps(projection).along
  for (let row = 0; row < length; row += 1) alongMax[row] = (along[row] ?? 0) + (alongSizes[row] ?? 0) - gap
  let [minAlong, maxAlong, minAcross, maxAcross] = [0, 0, 0, 0]
  for (let row = length - 1; row >= 0; row -= 1) {
    const parent = parents[row] ?? -1
    const position = across[row] ?? 0
    if (parent >= 0) {
      const distance = position - (across[parent] ?? 0)
      alongMin[parent] = Math.min(alongMin[parent] ?? 0, alongMin[row] ?? 0)
      alongMax[parent] = Math.max(alongMax[parent] ?? 0, alongMax[row] ?? 0)
      acrossBefore[parent] = Math.max(acrossBefore[parent] ?? 0, (acrossBefore[row] ?? 0) - distance)
      acrossAfter[parent] = Math.max(acrossAfter[parent] ?? 0, (acrossAfter[row] ?? 0) + distance)
    } else {
      minAlong = Math.min(minAlong, alongMin[row] ?? 0)
      maxAlong = Math.max(maxAlong, alongMax[row] ?? 0)
      minAcross = Math.min(minAcross, position - (acrossBefore[row] ?? 0))
      maxAcross = Math.max(maxAcross, position + (acrossAfter[row] ?? 0))
    }
  }
  const bounds =
    projection === 'down'
      ? { left: minAcross, top: minAlong, right: maxAcross, bottom: maxAlong }
      : { left: minAlong, top: minAcross, right: maxAlong, bottom: maxAcross }
  return { alongMin, alongMax, acrossBefore, acrossAfter, bounds }
}

/** Returns the row nearest to a point of the plane; -1 if there is none. */
export function findNearestRow(layout: MapLayout, x: number, y: number, isCandidate: (row: number) => boolean): number {
  const { projection, along, across, length } = layout
  const [start, position] = projection === 'down' ? [y, x] : [x, y]
  let [nearestRow, nearestDistance] = [-1, Infinity]
  for (let row = 0; row < length; row += 1) {
    const distance = Math.hypot((along[row] ?? 0) - start, (across[row] ?? 0) - position)
    if (distance >= nearestDistance || !isCandidate(row)) continue
    nearestRow = row
    nearestDistance = distance
  }
  return nearestRow
}
