import { describe, expect, test } from 'vitest'
import {
  findNearestRow,
  layoutMap,
  mapProjections,
  type MapLayout,
  type MapProjection,
} from '../../../../../renderer/model/map/map-layout.ts'
import { raiseColumns, selectMapLabels, MAX_LABELS } from '../../../../../renderer/model/map/map-labels.ts'
import { selectMapShapes, MAX_SHAPES, type MapShapes } from '../../../../../renderer/model/map/map-shapes.ts'
import { fitView, limitView, panView, revealBox, zoomView } from '../../../../../renderer/model/map/map-view.ts'

const size = { width: 1200, height: 800 }

/** Rows with the given depths. Each card is as wide as the tens of its index. */
function layout(depths: readonly number[], projection: MapProjection, hiddenCounts: readonly number[] = []): MapLayout {
  const rows = {
    length: depths.length,
    nodes: Uint32Array.from(depths.keys()),
    depths: Uint32Array.from(depths),
  }
  return layoutMap(rows, projection, {
    getTextWidth: (node) => 30 + (node % 10) * 10,
    getHiddenCount: (row) => hiddenCounts[row] ?? 0,
  })
}

/** A map of `count` cards: roots with branches of different sizes. */
function createDepths(count: number): number[] {
  const depths: number[] = []
  for (let index = 0; index < count; index += 1) {
    const previous = depths.at(-1) ?? -1
    depths.push(
      index % 1009 === 0 ? 0 : Math.max(1, (index * 7919) % 5 === 0 ? previous - 2 : previous + ((index * 31) % 2)),
    )
  }
  return depths
}

const getBoxes = (map: MapLayout): { start: number; end: number; from: number; to: number }[] =>
  [...map.nodes.keys()].map((row) => ({
    start: map.along[row] ?? 0,
    end: (map.along[row] ?? 0) + (map.alongSizes[row] ?? 0) - (map.projection === 'icicle' ? 0 : 30),
    from: map.across[row] ?? 0,
    to: (map.across[row] ?? 0) + (map.acrossSizes[row] ?? 0),
  }))

describe.each(mapProjections)('the layout %s', (projection) => {
  const map = layout(createDepths(150), projection)

  test('draws no box over another', () => {
    const boxes = getBoxes(map)
    for (const [row, box] of boxes.entries())
      for (const other of boxes.slice(row + 1)) {
        const isApart =
          box.end <= other.start + 0.01 ||
          other.end <= box.start + 0.01 ||
          box.to <= other.from + 0.01 ||
          other.to <= box.from + 0.01
        expect(isApart).toBe(true)
      }
  })

  test('counts every card once, as a box or in a block, however small the map is', () => {
    for (const count of [1, 300, 20_000]) {
      const large = layout(createDepths(count), projection)
      const stage = { bounds: large.bounds, projection, size }
      const view = fitView(stage)
      const shapes = selectMapShapes(large, view, size)
      const counted = [...shapes.blockSizes].reduce((sum, blockSize) => sum + Math.max(1, blockSize), 0)
      expect(counted).toBe(count)
      expect(shapes.count).toBeLessThanOrEqual(MAX_SHAPES)
      const labels = selectMapLabels(large, shapes, view, size, () => 0)
      expect(labels.length).toBeLessThanOrEqual(MAX_LABELS)
    }
  })

  test('covers all boxes with its bounds and the extents of its branches', () => {
    for (const [row, { start, from, to }] of getBoxes(map).entries()) {
      const { left, top, right, bottom } = map.bounds
      const [x, y] = projection === 'down' ? [from, start] : [start, from]
      expect(x).toBeGreaterThanOrEqual(left)
      expect(y).toBeGreaterThanOrEqual(top)
      expect(projection === 'down' ? to : from).toBeLessThanOrEqual(projection === 'down' ? right : bottom)
      const parent = map.parents[row] ?? -1
      if (parent < 0) continue
      expect(start).toBeGreaterThanOrEqual(map.alongMin[parent] ?? 0)
      expect(from).toBeGreaterThanOrEqual((map.across[parent] ?? 0) - (map.acrossBefore[parent] ?? 0) - 0.01)
      expect(to).toBeLessThanOrEqual((map.across[parent] ?? 0) + (map.acrossAfter[parent] ?? 0) + 0.01)
    }
  })
})

test('a layout keeps at most 120 bytes for a card', () => {
  const map = layout(createDepths(1000), 'right')
  const bytes = Object.values(map).reduce((sum, value) => sum + (ArrayBuffer.isView(value) ? value.byteLength : 0), 0)
  expect(bytes / 1000).toBeLessThanOrEqual(120)
})

test('a map on both sides has about as many cards on either, and keeps a single branch whole', () => {
  const map = layout([0, 1, 1, 2, 2, 1, 1], 'both')
  const sides = [...map.along].map((along) => Math.sign(along))
  expect(sides).toEqual([0, 1, 1, 1, 1, -1, -1])
  expect([...layout([0, 1, 2], 'both').along].every((along) => along >= 0)).toBe(true)
})

test('a map to the left is the mirror image of a map to the right', () => {
  const [right, left] = [layout([0, 1, 2, 1], 'right'), layout([0, 1, 2, 1], 'left')]
  expect([...left.across]).toEqual([...right.across])
  expect(left.along[1]).toBeLessThan(0)
  expect(left.bounds.right - left.bounds.left).toBe(right.bounds.right - right.bounds.left)
})

test('in columns a collapsed card is as high as the cards in it', () => {
  const map = layout([0, 1, 1], 'icicle', [0, 5, 0])
  expect([...map.acrossSizes]).toEqual([120, 100, 20])
})

test.each([
  ['expanded', Array.from({ length: 100 * 200 }, (_, row) => (row === 0 ? 0 : row % 200 === 1 ? 1 : 2)), []],
  ['collapsed', [0, ...Array.from({ length: 100 }, () => 1)], Array.from({ length: 101 }, () => 200)],
])('in columns the largest %s branches have titles, of which none covers another', (_, depths, hiddenCounts) => {
  const map = layout(depths, 'icicle', hiddenCounts)
  const view = fitView({ bounds: map.bounds, projection: 'icicle', size })
  const selection = selectMapShapes(map, view, size)
  const countTitles = (shapes: MapShapes): number => selectMapLabels(map, shapes, view, size, () => 0).length
  expect(countTitles(selection)).toBeLessThan(5)
  const shapes = raiseColumns(map, selection)
  expect(countTitles(shapes)).toBeGreaterThan(30)
  expect(shapes.rows.toSorted()).toEqual(selection.rows.toSorted())
  const titled = selectMapLabels(map, shapes, view, size, () => 0).map(({ row }) => {
    const index = shapes.rows.indexOf(row)
    const [x = 0, top = 0, , height = 0] = shapes.boxes.subarray(index * 4)
    return { x, top, bottom: top + height }
  })
  for (const [index, box] of titled.entries())
    for (const other of titled.slice(index + 1))
      expect(box.x !== other.x || box.bottom <= other.top + 0.01 || other.bottom <= box.top + 0.01).toBe(true)
})

test('an edge to a card out of sight is drawn where it crosses the window', () => {
  const map = layout([0, ...Array.from({ length: 200 }, () => 1)], 'right')
  const view = { x: 0, y: (map.across[0] ?? 0) - 100, zoomX: 1, zoomY: 1 }
  const shapes = selectMapShapes(map, view, { width: 60, height: 200 })
  expect(shapes.count).toBe(1)
  expect(shapes.edgeCount).toBeGreaterThan(10)
})

describe('the view', () => {
  const map = layout(createDepths(20_000), 'right')
  const stage = { bounds: map.bounds, projection: map.projection, size }

  test('fits the whole map, whose levels stay as wide as the window allows', () => {
    const view = fitView(stage)
    expect((map.bounds.bottom - map.bounds.top) * view.zoomY).toBeLessThanOrEqual(size.height)
    expect(view.zoomX).toBeGreaterThan(view.zoomY)
    expect((map.bounds.right - map.bounds.left) * view.zoomX).toBeLessThanOrEqual(size.width)
  })

  test('keeps the point under the pointer when it zooms', () => {
    const view = { x: 100, y: 5_000, zoomX: 1, zoomY: 1 }
    const next = zoomView(view, stage, 1.5, 300, 200)
    expect(next.zoomY).toBe(1.5)
    expect([next.x + 300 / next.zoomX, next.y + 200 / next.zoomY]).toEqual([view.x + 300, view.y + 200])
  })

  test('never loses the map', () => {
    const view = panView(fitView(stage), stage, 1e9, -1e9)
    expect(limitView(view, stage)).toEqual(view)
    expect(view.y + size.height / view.zoomY).toBeGreaterThan(map.bounds.top)
    expect(zoomView(view, stage, 1e-9, 0, 0).zoomY).toBe(fitView(stage).zoomY)
  })

  test('moves to a card only if the card is out of sight', () => {
    const view = { x: 0, y: 5_000, zoomX: 1, zoomY: 1 }
    const box = { left: 100, right: 200, top: 5_100, bottom: 5_130 }
    expect(revealBox(view, stage, box)).toEqual(view)
    const { y } = revealBox(view, stage, { ...box, top: 12_000, bottom: 12_030 })
    expect(12_015 - y).toBe(size.height / 2)
  })
})

test('the row nearest to a point of the plane is found, among those that count', () => {
  for (const projection of ['right', 'down'] as const) {
    const map = layout(createDepths(150), projection)
    const isAny = (): boolean => true
    for (const row of [0, 70, 149]) {
      const [along, across] = [map.along[row] ?? 0, map.across[row] ?? 0]
      const [x, y] = projection === 'down' ? [across, along] : [along, across]
      expect(findNearestRow(map, x + 1, y + 1, isAny)).toBe(row)
      expect(findNearestRow(map, x + 1, y + 1, (candidate) => candidate !== row)).not.toBe(row)
    }
  }
  expect(findNearestRow(layout([], 'right'), 0, 0, () => true)).toBe(-1)
})
