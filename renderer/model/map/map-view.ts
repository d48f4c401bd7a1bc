import { getGaps, type MapBounds, type MapLayout, type MapProjection } from './map-layout.ts'

/**
 * The part of the plane that is in sight: its upper left corner, and pixels per unit. A map is much
 * longer across its branches than along them, so a small map keeps its width: the zoom along never
 * falls below the one at which all levels fit into the window.
 */
export interface MapView {
  readonly x: number
  readonly y: number
  readonly zoomX: number
  readonly zoomY: number
}

export interface MapSize {
  readonly width: number
  readonly height: number
}

export interface MapStage {
  readonly bounds: MapBounds
  readonly projection: MapProjection
  readonly size: MapSize
}

const MAX_ZOOM = 4
/** A map of a million rows fits into a window at this zoom. */
const MIN_ZOOM = 0.000_01
/** Space around a map that fits into the window. */
const FIT_MARGIN_PX = 28
/** At least this much of the map stays in sight. */
const MIN_IN_SIGHT_PX = 48

const clamp = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), Math.max(min, max))

/** The zoom of a view on the axis on which it is smaller: the one of texts. */
export function getZoom({ zoomX, zoomY }: MapView): number {
  return Math.min(zoomX, zoomY)
}

const getFit = (length: number, available: number): number =>
  clamp((available - 2 * FIT_MARGIN_PX) / Math.max(1, length), MIN_ZOOM, 1)

/** The least zoom on each axis. */
function getMinZoom({ bounds, projection, size }: MapStage): { readonly x: number; readonly y: number } {
  return projection === 'down'
    ? { x: MIN_ZOOM, y: getFit(bounds.bottom - bounds.top, size.height) }
    : { x: getFit(bounds.right - bounds.left, size.width), y: MIN_ZOOM }
}

/** Shows the whole map in the middle, not larger than at a zoom of 1. */
export function fitView(stage: MapStage): MapView {
  const { bounds, size } = stage
  const fitX = getFit(bounds.right - bounds.left, size.width)
  const fitY = getFit(bounds.bottom - bounds.top, size.height)
  return centerView(stage, Math.min(fitX, fitY), (bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2)
}

/** Shows a point of the plane in the middle of the window. */
export function centerView(stage: MapStage, zoom: number, x: number, y: number): MapView {
  const min = getMinZoom(stage)
  const [zoomX, zoomY] = [Math.max(zoom, min.x), Math.max(zoom, min.y)]
  const { width, height } = stage.size
  return limitView({ zoomX, zoomY, x: x - width / 2 / zoomX, y: y - height / 2 / zoomY }, stage)
}

/** Changes the zoom. The point at a position in the window stays there. */
export function zoomView(view: MapView, stage: MapStage, factor: number, x: number, y: number): MapView {
  const min = getMinZoom(stage)
  const fit = getZoom(fitView(stage))
  const zoom = clamp(getZoom(view) * factor, Math.min(fit, getZoom(view)), MAX_ZOOM)
  const [zoomX, zoomY] = [Math.max(zoom, min.x), Math.max(zoom, min.y)]
  return limitView(
    { zoomX, zoomY, x: view.x + x / view.zoomX - x / zoomX, y: view.y + y / view.zoomY - y / zoomY },
    stage,
  )
}

/** Moves the window over the plane, by pixels. */
export function panView(view: MapView, stage: MapStage, x: number, y: number): MapView {
  return limitView({ ...view, x: view.x + x / view.zoomX, y: view.y + y / view.zoomY }, stage)
}

/** Keeps a part of the map in the window, and a map in the middle that shows all of its levels. */
export function limitView(view: MapView, { bounds, size, ...stage }: MapStage): MapView {
  const min = getMinZoom({ bounds, size, ...stage })
  const limit = (start: number, zoom: number, length: number, from: number, to: number, isPinned: boolean): number =>
    isPinned
      ? (from + to) / 2 - length / 2 / zoom
      : clamp(start, from + (MIN_IN_SIGHT_PX - length) / zoom, to - MIN_IN_SIGHT_PX / zoom)
  const isPinnedX = view.zoomX > view.zoomY && view.zoomX <= min.x
  const isPinnedY = view.zoomY > view.zoomX && view.zoomY <= min.y
  return {
    ...view,
    x: limit(view.x, view.zoomX, size.width, bounds.left, bounds.right, isPinnedX),
    y: limit(view.y, view.zoomY, size.height, bounds.top, bounds.bottom, isPinnedY),
  }
}

/** Moves the view as little as it takes to show a box, and to its middle if the box is far away. */
export function revealBox(view: MapView, stage: MapStage, box: MapBounds): MapView {
  const reveal = (start: number, length: number, margin: number, from: number, to: number): number => {
    if (from >= start + margin && to <= start + length - margin) return start
    const isNear = to > start - length / 2 && from < start + length * 1.5
    if (!isNear || to - from > length - 2 * margin) return (from + to) / 2 - length / 2
    return from < start + margin ? from - margin : to + margin - length
  }
  const { width, height } = stage.size
  const { zoomX, zoomY } = view
  return limitView(
    {
      ...view,
      x: reveal(view.x, width / zoomX, MIN_IN_SIGHT_PX / zoomX, box.left, box.right),
      y: reveal(view.y, height / zoomY, MIN_IN_SIGHT_PX / zoomY, box.top, box.bottom),
    },
    stage,
  )
}

/** The box of a card with its badge, in pixels of a view. */
export function projectBox(
  layout: MapLayout,
  view: MapView,
  row: number,
): { x: number; y: number; width: number; height: number } {
  const { projection, along, across, alongSizes, acrossSizes } = layout
  const gaps = getGaps(projection)
  const [start, position] = [along[row] ?? 0, across[row] ?? 0]
  const [length, breadth] = [(alongSizes[row] ?? 0) - gaps.along, (acrossSizes[row] ?? 0) - gaps.across]
  const [x, y, width, height] =
    projection === 'down' ? [position, start, breadth, length] : [start, position, length, breadth]
  return {
    x: (x - view.x) * view.zoomX,
    y: (y - view.y) * view.zoomY,
    width: width * view.zoomX,
    height: height * view.zoomY,
  }
}
