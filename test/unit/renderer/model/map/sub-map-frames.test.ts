import { expect, test } from 'vitest'
import { layoutMap, mapProjections, type MapLayout } from '../../../../../renderer/model/map/map-layout.ts'
import { projectBox } from '../../../../../renderer/model/map/map-view.ts'
import { SubMapFrames } from '../../../../../renderer/model/map/sub-map-frames.ts'

const PLANE = { x: 0, y: 0, zoomX: 1, zoomY: 1 }
const EVERYWHERE = { width: Infinity, height: Infinity }

/** A root whose children are a deep branch, a wide card and a branch with one card. */
function createLayout(projection: MapLayout['projection']): MapLayout {
  const depths = Uint32Array.from([0, 1, 2, 3, 3, 3, 2, 2, 1, 1, 2, 1, 2, 3])
  const nodes = Uint32Array.from(depths.keys())
  return layoutMap({ length: depths.length, nodes, depths }, projection, {
    getTextWidth: (node) => (node === 8 ? 250 : 30 + node * 8),
    getHiddenCount: () => 0,
  })
}

/** The corners of a path without its rounding. */
const readCorners = (path: string): [number, number][] =>
  [...path.matchAll(/Q(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)])

function isInside(corners: readonly [number, number][], x: number, y: number): boolean {
  let inside = false
  for (let index = 0, previous = corners.length - 1; index < corners.length; previous = index, index += 1) {
    const [[x1, y1], [x2, y2]] = [corners[index] ?? [0, 0], corners[previous] ?? [0, 0]]
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside
  }
  return inside
}

test.each(mapProjections)('a frame in a map %s encloses the cards of its sub-map and no others', (projection) => {
  const layout = createLayout(projection)
  for (const root of [1, 2, 9, 11]) {
    const [frame] = new SubMapFrames(layout, [root]).select(PLANE, EVERYWHERE)
    const corners = readCorners(frame?.path ?? '')
    for (let row = 0; row < layout.length; row += 1) {
      const { x, y, width, height } = projectBox(layout, PLANE, row)
      const inset = projection === 'icicle' ? 9 : 0.5
      const points = [
        [x + inset, y + inset],
        [x + width - inset, y + inset],
        [x + width - inset, y + height - inset],
        [x + inset, y + height - inset],
      ] as const
      const isOfSubMap = row >= root && row < (layout.ends[root] ?? 0)
      for (const [cornerX, cornerY] of points) expect(isInside(corners, cornerX, cornerY)).toBe(isOfSubMap)
    }
  }
})

test('only frames in sight that are large enough are drawn, and their lines stay near the window', () => {
  const layout = createLayout('right')
  const frames = new SubMapFrames(layout, [1, 9])
  expect(frames.select({ ...PLANE, x: 10_000 }, { width: 100, height: 100 })).toEqual([])
  expect(frames.select({ ...PLANE, zoomX: 0.01, zoomY: 0.01 }, { width: 100, height: 100 })).toEqual([])
  const middle = projectBox(layout, PLANE, 3)
  const [frame] = frames.select({ x: middle.x, y: middle.y, zoomX: 4, zoomY: 4 }, { width: 60, height: 60 })
  expect(frame?.row).toBe(1)
  for (const corner of readCorners(frame?.path ?? '').flat()) expect(Math.abs(corner - 30)).toBeLessThanOrEqual(54)
  expect(frames.covers(10)).toBe(true)
  expect(frames.covers(8)).toBe(false)
})
