import { getGaps, type MapLayout } from './map-layout.ts'
import type { MapSize, MapView } from './map-view.ts'

export interface SceneFrame {
  /** The card at the root of the sub-map. */
  readonly row: number
  /** SVG path in pixels of the scene. */
  readonly path: string
}

/** How frames are drawn. The tone is one of the map. */
export const FRAME_STYLE = { tone: 'edge', lineWidth: 1.25, dashes: [4, 3] } as const

/** Edges of a branch on both sides: one coordinate for each `step` map units from `start` on. */
interface BranchOutline {
  readonly start: number
  readonly step: number
  readonly before: Float64Array
  readonly after: Float64Array
}

/** Less than half of the smallest gap between levels, so that frames touch no other branch. */
const STEP_PX = 8
/** Nobody sees a frame of a branch that is this deep. */
const MAX_STEPS = 20_000
const MAX_FRAMES = 60
const MIN_FRAME_PX = 10
/** Steps of a frame are at least this long. */
const MIN_STEP_PX = 4
const CORNER_PX = 6
/** Lines out of sight are drawn this far away. */
const OUTSIDE_PX = 24

/** The frames of the sub-maps that a host lists. A frame has the shape of its branch. */
export class SubMapFrames {
  readonly #layout: MapLayout
  readonly #rows: readonly number[]
  readonly #roots: ReadonlySet<number>
  readonly #outlines = new Map<number, BranchOutline | null>()

  /** @param rows in ascending order */
  constructor(layout: MapLayout, rows: readonly number[]) {
    this.#layout = layout
    this.#rows = rows
    this.#roots = new Set(rows)
  }

  covers(row: number): boolean {
    const { parents } = this.#layout
    for (let ancestor = row; ancestor >= 0; ancestor = parents[ancestor] ?? -1)
      if (this.#roots.has(ancestor)) return true
    return false
  }

  /** Selects frames of the roots `from` to `to`; an infinite `size` is the whole plane. */
  select(view: MapView, size: MapSize, from = 0, to = this.#layout.length): SceneFrame[] {
    const frames: SceneFrame[] = []
    for (const row of this.#rows) {
      if (frames.length === MAX_FRAMES) break
      if (row < from || row >= to) continue
      const frame = this.#project(row, view, size)
      if (frame) frames.push(frame)
    }
    return frames
  }

  #project(row: number, view: MapView, size: MapSize): SceneFrame | null {
    const { projection, across, acrossBefore, acrossAfter, alongMin, alongMax } = this.#layout
    const isDown = projection === 'down'
    const along = isDown
      ? { offset: view.y, zoom: view.zoomY, length: size.height }
      : { offset: view.x, zoom: view.zoomX, length: size.width }
    const cross = isDown
      ? { offset: view.x, zoom: view.zoomX, length: size.width }
      : { offset: view.y, zoom: view.zoomY, length: size.height }
    const position = across[row] ?? 0
    const start = (position - (acrossBefore[row] ?? 0) - cross.offset) * cross.zoom
    const end = (position + (acrossAfter[row] ?? 0) - cross.offset) * cross.zoom
    const from = ((alongMin[row] ?? 0) - along.offset) * along.zoom
    const to = ((alongMax[row] ?? 0) - along.offset) * along.zoom
    const isBounded = Number.isFinite(size.width)
    const isInSight = end >= 0 && start <= cross.length && to >= 0 && from <= along.length
    if ((isBounded && !isInSight) || end - start < MIN_FRAME_PX) return null
    const outline = this.#getOutline(row)
    if (outline === null) return null
    const clamp = (value: number, limit: number): number =>
      isBounded ? Math.max(-OUTSIDE_PX, Math.min(limit + OUTSIDE_PX, value)) : value
    const points = traceOutline(outline, along, cross).map(([x, y]) => {
      const point = [clamp(x, along.length), clamp(y, cross.length)] as const
      return isDown ? ([point[1], point[0]] as const) : point
    })
    return { row, path: roundCorners(points) }
  }

  #getOutline(row: number): BranchOutline | null {
    const existing = this.#outlines.get(row)
    if (existing !== undefined) return existing
    const outline = measureOutline(this.#layout, row)
    this.#outlines.set(row, outline)
    return outline
  }
}

function measureOutline(layout: MapLayout, root: number): BranchOutline | null {
  const { projection, ends, along, across, alongSizes, acrossSizes, alongMin, alongMax } = layout
  const gaps = getGaps(projection)
  // Halfway between two levels, the frame grows from a card to its children.
  const [margin, crossMargin] = [gaps.along / 2, gaps.across / 2]
  const start = (alongMin[root] ?? 0) - margin
  const count = Math.ceil(((alongMax[root] ?? 0) + margin - start) / STEP_PX)
  if (count > MAX_STEPS) return null
  const before = new Float64Array(count).fill(Infinity)
  const after = new Float64Array(count).fill(-Infinity)
  for (let row = root; row < (ends[root] ?? 0); row += 1) {
    const from = Math.floor(((along[row] ?? 0) - margin - start) / STEP_PX)
    const to = Math.ceil(((along[row] ?? 0) + (alongSizes[row] ?? 0) - gaps.along + margin - start) / STEP_PX)
    const top = (across[row] ?? 0) - crossMargin
    const bottom = (across[row] ?? 0) + (acrossSizes[row] ?? 0) - gaps.across + crossMargin
    for (let step = Math.max(0, from); step < Math.min(count, to); step += 1) {
      before[step] = Math.min(before[step] ?? top, top)
      after[step] = Math.max(after[step] ?? bottom, bottom)
    }
  }
  return { start, step: STEP_PX, before, after }
}

interface Axis {
  readonly offset: number
  readonly zoom: number
}

type Point = readonly [number, number]

/** The corners of an outline in pixels: there along one side, and back along the other. */
function traceOutline({ start, step, before, after }: BranchOutline, along: Axis, cross: Axis): Point[] {
  const stepsPerPoint = Math.max(1, Math.ceil(MIN_STEP_PX / (step * along.zoom)))
  const forth: Point[] = []
  const back: Point[] = []
  for (let first = 0; first < before.length; first += stepsPerPoint) {
    const last = Math.min(before.length, first + stepsPerPoint)
    const from = (start + first * step - along.offset) * along.zoom
    const to = (start + last * step - along.offset) * along.zoom
    let [top, bottom] = [Infinity, -Infinity]
    for (let index = first; index < last; index += 1) {
      top = Math.min(top, before[index] ?? top)
      bottom = Math.max(bottom, after[index] ?? bottom)
    }
    addStep(forth, from, to, (top - cross.offset) * cross.zoom)
    addStep(back, from, to, (bottom - cross.offset) * cross.zoom)
  }
  return [...forth, ...back.reverse()]
}

/** Steps on one level are one line. */
function addStep(points: Point[], from: number, to: number, level: number): void {
  if (points.at(-1)?.[1] === level) points.pop()
  else points.push([from, level])
  points.push([to, level])
}

function roundCorners(points: readonly Point[]): string {
  const format = (value: number): string => String(Math.round(value * 10) / 10)
  let path = ''
  for (const [index, [x, y]] of points.entries()) {
    const toward = (point: Point | undefined): Point => {
      const [otherX, otherY] = point ?? [x, y]
      const distance = Math.hypot(otherX - x, otherY - y)
      const part = distance === 0 ? 0 : Math.min(CORNER_PX, distance / 2) / distance
      return [x + (otherX - x) * part, y + (otherY - y) * part]
    }
    const [startX, startY] = toward(points[(index + points.length - 1) % points.length])
    const [endX, endY] = toward(points[(index + 1) % points.length])
    path += `${index === 0 ? 'M' : 'L'}${format(startX)} ${format(startY)}Q${format(x)} ${format(y)} ${format(endX)} ${format(endY)}`
  }
  return path === '' ? '' : `${path}Z`
}
