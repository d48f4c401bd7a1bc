import type { MapLayout } from './map-layout.ts'
import type { MapSize, MapView } from './map-view.ts'

/** The start, the bend and the end of an arrow, and the two other corners of its head. */
export interface ArrowPoints {
  readonly start: Point
  readonly bend: Point
  readonly end: Point
  readonly head: readonly [Point, Point]
}

type Point = readonly [x: number, y: number]

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** How far an arrow bends away from the straight line, as a share of its length. */
const BEND = 0.12
const MAX_BEND_PX = 48
/** Space beside boxes for an arrow around their side. */
const SIDE_BEND_PX = 22
const HEAD_PX = 7
const HEAD_WIDTH_PX = 3.5
/** Shorter arrows would be nothing but a head. */
const MIN_LENGTH_PX = 10

/** Leads from border to border, or around the side; null if both are in the same place. */
export function connectBoxes(from: Box, to: Box): ArrowPoints | null {
  const [centerX, centerY] = [from.x + from.width / 2, from.y + from.height / 2]
  const [targetX, targetY] = [to.x + to.width / 2, to.y + to.height / 2]
  const distance = Math.hypot(targetX - centerX, targetY - centerY)
  if (distance < MIN_LENGTH_PX) return null
  const bendPx = Math.min(MAX_BEND_PX, distance * BEND)
  const bend: Point = [
    (centerX + targetX) / 2 - ((targetY - centerY) / distance) * bendPx,
    (centerY + targetY) / 2 + ((targetX - centerX) / distance) * bendPx,
  ]
  const [start, end] = [leaveBox(from, bend), leaveBox(to, bend)]
  const isTooShort = Math.hypot(end[0] - start[0], end[1] - start[1]) < MIN_LENGTH_PX
  return isTooShort ? goAround(from, to) : addHead(start, bend, end)
}

/** Connects in a frame of `size` (null: all is in sight); null for an arrow out of sight. */
export function connectInSight(from: Box, to: Box, size: MapSize | null): ArrowPoints | null {
  const isInSight =
    size === null ||
    (Math.max(from.x + from.width, to.x + to.width) >= 0 &&
      Math.min(from.x, to.x) <= size.width &&
      Math.max(from.y + from.height, to.y + to.height) >= 0 &&
      Math.min(from.y, to.y) <= size.height)
  return isInSight ? connectBoxes(from, to) : null
}

function goAround(from: Box, to: Box): ArrowPoints {
  const [startY, endY] = [from.y + from.height / 2, to.y + to.height / 2]
  const bend: Point = [Math.min(from.x, to.x) - SIDE_BEND_PX, (startY + endY) / 2]
  return addHead([from.x, startY], bend, [to.x, endY])
}

function addHead(start: Point, bend: Point, end: Point): ArrowPoints {
  const length = Math.max(1, Math.hypot(end[0] - bend[0], end[1] - bend[1]))
  const [unitX, unitY] = [(end[0] - bend[0]) / length, (end[1] - bend[1]) / length]
  const [baseX, baseY] = [end[0] - unitX * HEAD_PX, end[1] - unitY * HEAD_PX]
  return {
    start,
    bend,
    end,
    head: [
      [baseX - unitY * HEAD_WIDTH_PX, baseY + unitX * HEAD_WIDTH_PX],
      [baseX + unitY * HEAD_WIDTH_PX, baseY - unitX * HEAD_WIDTH_PX],
    ],
  }
}

/** Returns the point where a line from the middle of the box leaves it. */
function leaveBox({ x, y, width, height }: Box, [pointX, pointY]: Point): Point {
  const [centerX, centerY] = [x + width / 2, y + height / 2]
  const [distanceX, distanceY] = [pointX - centerX, pointY - centerY]
  const scale = Math.min(
    1,
    distanceX === 0 ? Infinity : width / 2 / Math.abs(distanceX),
    distanceY === 0 ? Infinity : height / 2 / Math.abs(distanceY),
  )
  return [centerX + distanceX * scale, centerY + distanceY * scale]
}

/** Compares positions across the branches, which is much cheaper than to project boxes. */
export function createSightTest(
  { projection, across, acrossSizes }: MapLayout,
  view: MapView,
  size: MapSize,
): (row: number, otherRow?: number) => boolean {
  const isDown = projection === 'down'
  const start = isDown ? view.x : view.y
  const end = start + (isDown ? size.width / view.zoomX : size.height / view.zoomY)
  return (row, otherRow = row) => {
    const [first, second] = [across[row] ?? 0, across[otherRow] ?? 0]
    if (Math.min(first, second) > end) return false
    return Math.max(first + (acrossSizes[row] ?? 0), second + (acrossSizes[otherRow] ?? 0)) >= start
  }
}
