import { getBadgeWidth, ICICLE_ROW_PX, type MapLayout } from './map-layout.ts'
import type { MapShapes } from './map-shapes.ts'
import { getZoom, type MapSize, type MapView } from './map-view.ts'

/** A title in a frame. `y` is the middle of the text. */
export interface MapLabel {
  readonly row: number
  readonly x: number
  readonly y: number
  readonly fontPx: number
  readonly maxWidth: number
  /** Goes from 0 to 1, because texts appear little by little. */
  readonly opacity: number
  /** Number of cards below that an overview does not draw. */
  readonly hiddenCount?: number
}

export const MAX_LABELS = 400
export const FONT_PX = 13
/** Texts are in their boxes from this size on, where they are drawn in a readable size. */
const MIN_FONT_PX = 4.4
const READABLE_FONT_PX = 8.5
const CLEAR_FONT_PX = 10
export const OVERVIEW_FONT_PX = 11
/** Fainter titles could not be read. */
const MIN_TITLE_OPACITY = 0.75
const ICICLE_FONT_PX = 12
const MIN_ICICLE_HEIGHT_PX = 13
const MIN_ICICLE_WIDTH_PX = 28
const INSET_PX = 10
/** Beside texts that are larger than their box is meant for. */
const MIN_INSET_PX = 4

/** True if the boxes of cards are too small for titles, so that branches are drawn instead. */
export function needsOverview({ projection }: MapLayout, view: MapView): boolean {
  return projection !== 'icicle' && FONT_PX * getZoom(view) < MIN_FONT_PX
}

/** Selects the titles that are drawn, those of the largest branches first. */
export function selectMapLabels(
  layout: MapLayout,
  shapes: MapShapes,
  view: MapView,
  size: MapSize,
  getHiddenCount: (row: number) => number,
): MapLabel[] {
  const fontPx = FONT_PX * getZoom(view)
  const shapeOrder = orderByBranch(layout, shapes)
  if (layout.projection === 'icicle') return labelColumns(shapes, shapeOrder, size)
  const scale = fontPx / FONT_PX
  const inset = fontPx < READABLE_FONT_PX ? MIN_INSET_PX : INSET_PX * scale
  return shapeOrder.slice(0, MAX_LABELS).map((index) => {
    const row = shapes.rows[index] ?? 0
    const [x = 0, y = 0, width = 0, height = 0] = shapes.boxes.subarray(index * 4, index * 4 + 4)
    const badge = getBadgeWidth(getHiddenCount(row)) * scale
    return {
      row,
      x: x + inset,
      y: y + height / 2,
      fontPx: Math.max(fontPx, READABLE_FONT_PX),
      maxWidth: width - 2 * inset - badge + 1,
      opacity: Math.min(
        1,
        MIN_TITLE_OPACITY + ((1 - MIN_TITLE_OPACITY) * (fontPx - MIN_FONT_PX)) / (CLEAR_FONT_PX - MIN_FONT_PX),
      ),
    }
  })
}

/** Indexes of the boxes, those of the largest branches first. */
function orderByBranch({ ends }: MapLayout, { count, rows, blockSizes }: MapShapes): number[] {
  const indexes: number[] = []
  for (let index = 0; index < count; index += 1) if (blockSizes[index] === 0) indexes.push(index)
  const getSize = (index: number): number => (ends[rows[index] ?? 0] ?? 0) - (rows[index] ?? 0)
  return indexes.sort((first, second) => getSize(second) - getSize(first))
}

/** Raises boxes of the largest branches in columns for a title, over smaller ones beside them. */
export function raiseColumns(layout: MapLayout, shapes: MapShapes): MapShapes {
  const spansByLeft = new Map<number, (readonly [top: number, bottom: number])[]>()
  const tops = new Map<number, number>()
  const getMass = (index: number): number => layout.acrossSizes[shapes.rows[index] ?? 0] ?? 0
  for (const index of orderByBranch(layout, shapes).sort((first, second) => getMass(second) - getMass(first))) {
    if (getMass(index) <= ICICLE_ROW_PX) break
    const [x = 0, y = 0, width = 0, height = 0] = shapes.boxes.subarray(index * 4, index * 4 + 4)
    const raisedPx = Math.max(0, MIN_ICICLE_HEIGHT_PX - height)
    const [top, bottom] = [y - raisedPx / 2, y + height + raisedPx / 2]
    const spans = spansByLeft.get(x) ?? []
    if (width < MIN_ICICLE_WIDTH_PX || spans.some(([start, end]) => top < end && bottom > start)) continue
    spansByLeft.set(x, [...spans, [top, bottom]])
    if (raisedPx > 0) tops.set(index, top)
  }
  // The last of the shapes at a point is the one that is drawn and pointed at.
  const order = [...shapes.rows.keys()].sort((first, second) => Number(tops.has(first)) - Number(tops.has(second)))
  const boxes = order.flatMap((index) => {
    const [x = 0, y = 0, width = 0, height = 0] = shapes.boxes.subarray(index * 4, index * 4 + 4)
    return [x, tops.get(index) ?? y, width, tops.has(index) ? MIN_ICICLE_HEIGHT_PX : height]
  })
  return {
    ...shapes,
    rows: Int32Array.from(order, (index) => shapes.rows[index] ?? 0),
    blockSizes: Uint32Array.from(order, (index) => shapes.blockSizes[index] ?? 0),
    boxes: Float32Array.from(boxes),
  }
}

function labelColumns(shapes: MapShapes, shapeOrder: readonly number[], size: MapSize): MapLabel[] {
  const labels: MapLabel[] = []
  for (const index of shapeOrder) {
    if (labels.length === MAX_LABELS) break
    const [x = 0, y = 0, width = 0, height = 0] = shapes.boxes.subarray(index * 4, index * 4 + 4)
    const [left, right] = [Math.max(0, x), Math.min(size.width, x + width)]
    const [top, bottom] = [Math.max(0, y), Math.min(size.height, y + height)]
    if (bottom - top < MIN_ICICLE_HEIGHT_PX || right - left < MIN_ICICLE_WIDTH_PX) continue
    labels.push({
      row: shapes.rows[index] ?? 0,
      x: left + 10,
      y: (top + bottom) / 2,
      fontPx: ICICLE_FONT_PX,
      maxWidth: right - left - 15,
      opacity: 1,
    })
  }
  return labels
}
