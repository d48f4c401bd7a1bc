import { getBadgeWidth, type MapLayout } from './map-layout.ts'
import type { MapShapes } from './map-shapes.ts'
import { getZoom, type MapSize, type MapView } from './map-view.ts'

/** A title in a frame. `y` is the middle of the text. */
export interface MapLabel {
  readonly row: number
  readonly x: number
  readonly y: number
  readonly fontPx: number
  readonly maxWidth: number
  /** From 0 to 1: texts appear little by little. */
  readonly opacity: number
  /** True for a title that stands over the shapes of its branch, because its box is too small. */
  readonly isOverlay: boolean
}

export const MAX_LABELS = 400
export const FONT_PX = 13
/** Texts are in their boxes from this size on, where they are drawn in a readable size. */
const MIN_FONT_PX = 4.4
const READABLE_FONT_PX = 8.5
const CLEAR_FONT_PX = 10
const OVERLAY_FONT_PX = 11
/** Fainter titles could not be read. */
const MIN_TITLE_OPACITY = 0.75
const MAX_OVERLAY_WIDTH_PX = 180
/** A box of this height has room for a title that is not as small as the box. */
const MIN_TITLE_BOX_PX = 13
/** Space for the color of a card before its title, at a zoom of 1. */
const COLOR_PX = 6
/** A branch of this height has room for its title over its shapes. */
const MIN_OVERLAY_BRANCH_PX = 12
const ICICLE_FONT_PX = 12
const MIN_ICICLE_HEIGHT_PX = 13
const MIN_ICICLE_WIDTH_PX = 28
const INSET_PX = 10
/** Beside texts that are larger than their box is meant for. */
const MIN_INSET_PX = 4

type GetWidth = (row: number) => number

/**
 * Selects the titles that are drawn, those of the largest branches first.
 * @param getWidth returns the width of a title at `FONT_PX`
 */
export function selectMapLabels(
  layout: MapLayout,
  shapes: MapShapes,
  view: MapView,
  size: MapSize,
  { getWidth, getHiddenCount }: { getWidth: GetWidth; getHiddenCount: (row: number) => number },
): MapLabel[] {
  const fontPx = FONT_PX * getZoom(view)
  const shapeOrder = orderByBranch(layout, shapes)
  if (layout.projection === 'icicle') return labelColumns(shapes, shapeOrder, size)
  if (fontPx < MIN_FONT_PX) return labelBranches(layout, shapes, shapeOrder, view, size, getWidth)
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
      isOverlay: false,
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
      isOverlay: false,
    })
  }
  return labels
}

/** Puts titles over branches whose boxes are too small for them, as far as they do not touch. */
function labelBranches(
  layout: MapLayout,
  shapes: MapShapes,
  shapeOrder: readonly number[],
  view: MapView,
  size: MapSize,
  getWidth: GetWidth,
): MapLabel[] {
  const labels: MapLabel[] = []
  const lanes = new LabelLanes()
  const acrossZoom = layout.projection === 'down' ? view.zoomX : view.zoomY
  for (const index of shapeOrder) {
    if (labels.length === MAX_LABELS) break
    const row = shapes.rows[index] ?? 0
    const branchPx = ((layout.acrossBefore[row] ?? 0) + (layout.acrossAfter[row] ?? 0)) * acrossZoom
    if (branchPx < MIN_OVERLAY_BRANCH_PX) continue
    const [x = 0, y = 0, boxWidth = 0, height = 0] = shapes.boxes.subarray(index * 4, index * 4 + 4)
    const maxWidth = layout.projection === 'down' ? Math.max(40, branchPx - 8) : MAX_OVERLAY_WIDTH_PX
    const width = Math.min(maxWidth, (getWidth(row) * OVERLAY_FONT_PX) / FONT_PX)
    const left = layout.projection === 'down' ? x + boxWidth / 2 - width / 2 : x + 2 + COLOR_PX * getZoom(view)
    const middle = y + height / 2
    if (left > size.width || left + width < 0 || middle < 0 || middle > size.height) continue
    if (!lanes.take(left - 6, left + width + 6, middle)) continue
    const opacity = Math.min(1, MIN_TITLE_OPACITY + (branchPx - MIN_OVERLAY_BRANCH_PX) / 80)
    const isOverlay = height < MIN_TITLE_BOX_PX || left + width > x + boxWidth
    labels.push({ row, x: left, y: middle, fontPx: OVERLAY_FONT_PX, maxWidth, opacity, isOverlay })
  }
  return labels
}

const LANE_PX = 8

/** The horizontal spans that are taken, in lanes from top to bottom. */
class LabelLanes {
  readonly #lanes = new Map<number, [number, number][]>()

  /** Returns false if a text would touch one that is there already. */
  take(left: number, right: number, middle: number): boolean {
    const lane = Math.floor(middle / LANE_PX)
    const lanes = [lane - 1, lane, lane + 1]
    const isTaken = lanes.some((number) => this.#lanes.get(number)?.some(([from, to]) => from < right && to > left))
    if (isTaken) return false
    const spans = this.#lanes.get(lane) ?? []
    spans.push([left, right])
    this.#lanes.set(lane, spans)
    return true
  }
}
