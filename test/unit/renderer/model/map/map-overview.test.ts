import { describe, expect, test } from 'vitest'
import { layoutMap, type MapLayout, type MapProjection } from '../../../../../renderer/model/map/map-layout.ts'
import { FONT_PX, needsOverview } from '../../../../../renderer/model/map/map-labels.ts'
import { formatHiddenCount, orderBranches, selectOverview } from '../../../../../renderer/model/map/map-overview.ts'
import { fitView, panView, zoomView } from '../../../../../renderer/model/map/map-view.ts'

/** A repeatable stream of numbers in [0, 1). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Depths of `count` rows; the deeper the cards may be, the more of them lie on one path. */
function createDepths(count: number, maxDepth: number, random: () => number): Uint32Array {
  const depths = new Uint32Array(count)
  for (let row = 1; row < count; row += 1) {
    const deepest = Math.min(maxDepth, (depths[row - 1] ?? 0) + 1)
    depths[row] = random() < 0.6 ? deepest : Math.floor(random() * (deepest + 1))
  }
  return depths
}

function createMap(depths: Uint32Array, projection: MapProjection, random: () => number): MapLayout {
  const rows = { length: depths.length, nodes: Uint32Array.from(depths.keys()), depths }
  const widths = Float32Array.from(depths, () => 28 + random() * 252)
  return layoutMap(rows, projection, { getTextWidth: (node) => widths[node] ?? 0, getHiddenCount: () => 0 })
}

const MARGIN_PX = 160

function selectTitles(layout: MapLayout, view: ReturnType<typeof fitView>, size: { width: number; height: number }) {
  const getBranchSize = (row: number): number => (layout.ends[row] ?? 0) - row
  const frame = { width: size.width + 2 * MARGIN_PX, height: size.height + 2 * MARGIN_PX }
  const frameView = { ...view, x: view.x - MARGIN_PX / view.zoomX, y: view.y - MARGIN_PX / view.zoomY }
  const order = orderBranches(layout, getBranchSize)
  return {
    getBranchSize,
    frame,
    ...selectOverview(layout, order, frameView, frame, MARGIN_PX, {
      getWidth: (row) => (layout.alongSizes[row] ?? 0) % 280,
      getBranchSize,
      selectedRow: -1,
    }),
  }
}

describe('an overview', () => {
  const random = createRandom(7)
  const cases = (['right', 'left', 'both', 'down'] as const).flatMap((projection) =>
    [60, 200, 3_000, 30_000].flatMap((count) =>
      [3, 12, 60].map((maxDepth) => ({
        projection,
        count,
        layout: createMap(createDepths(count, maxDepth, random), projection, random),
      })),
    ),
  )
  const sizes = [
    { width: 900, height: 600 },
    { width: 2300, height: 1300 },
  ]

  test('has at least 30 titles in the window where the whole map is in it, and no two touch', () => {
    let overviewCount = 0
    for (const { projection, count, layout } of cases) {
      for (const size of sizes) {
        const stage = { bounds: layout.bounds, projection, size }
        const fit = fitView(stage)
        const views = [
          fit,
          zoomView(fit, stage, 1.4 ** 3, size.width / 2, size.height / 2),
          panView(fit, stage, 37, 53),
        ]
        for (const [index, view] of views.entries()) {
          if (!needsOverview(layout, view)) continue
          overviewCount += 1
          const { labels, shapes, frame } = selectTitles(layout, view, size)
          const caseName = `${projection} ${count} ${size.width} view ${index}`
          const boxes = [...shapes.rows.keys()].map((place) => shapes.boxes.subarray(place * 4, place * 4 + 4))
          for (const [place, [x = 0, y = 0, width = 0, height = 0]] of boxes.entries())
            for (const [x2 = 0, y2 = 0, width2 = 0, height2 = 0] of boxes.slice(place + 1))
              expect(x + width <= x2 || x2 + width2 <= x || y + height <= y2 || y2 + height2 <= y, caseName).toBe(true)
          if (index !== 0) continue
          const inWindow = labels.filter(
            ({ x, y, maxWidth }) =>
              x >= MARGIN_PX &&
              x + maxWidth <= frame.width - MARGIN_PX &&
              y >= MARGIN_PX &&
              y <= frame.height - MARGIN_PX,
          )
          expect(inWindow.length, caseName).toBeGreaterThanOrEqual(30)
        }
      }
    }
    expect(overviewCount).toBeGreaterThan(50)
  })

  test('counts each card once: as a title, or below the nearest one above it', () => {
    for (const { projection, layout } of cases) {
      const size = sizes[0] ?? { width: 0, height: 0 }
      const view = fitView({ bounds: layout.bounds, projection, size })
      if (!needsOverview(layout, view)) continue
      const { labels, shapes, getBranchSize } = selectTitles(layout, view, size)
      for (const [index, { maxWidth, hiddenCount = 0 }] of labels.entries()) {
        const countWidth = hiddenCount > 0 ? formatHiddenCount(hiddenCount).length * 6.5 + 8 : 0
        expect((shapes.boxes[index * 4 + 2] ?? 0) - maxWidth).toBeCloseTo(15 + countWidth, 3)
      }
      const drawnRows = new Set(labels.map(({ row }) => row))
      const hasDrawnParent = (row: number): boolean => {
        for (let parent = layout.parents[row] ?? -1; parent >= 0; parent = layout.parents[parent] ?? -1)
          if (drawnRows.has(parent)) return true
        return false
      }
      const tops = labels.filter(({ row }) => !hasDrawnParent(row))
      const covered = tops.reduce((sum, { row }) => sum + getBranchSize(row), 0)
      const counted = labels.reduce((sum, { hiddenCount = 0 }) => sum + 1 + hiddenCount, 0)
      expect(counted).toBe(covered)
    }
  })

  test('puts a title that has no room at its own place after its parent, where the lane has room', () => {
    const depths = Uint32Array.from({ length: 40 }, (_, row) => (row % 5 === 0 ? 0 : 1))
    const layout = createMap(depths, 'right', random)
    const size = { width: 950, height: 480 }
    const { shapes } = selectTitles(layout, fitView({ bounds: layout.bounds, projection: 'right', size }), size)
    const lefts = new Map([...shapes.rows].map((row, index) => [row, shapes.boxes[index * 4] ?? 0]))
    const isBeforeParent = (row: number): boolean =>
      (lefts.get(row) ?? 0) < (lefts.get(layout.parents[row] ?? -1) ?? -Infinity)
    expect(lefts.size).toBeGreaterThanOrEqual(30)
    expect([...lefts.keys()].filter(isBeforeParent)).toEqual([])
  })

  test('draws the largest branches first, and the selected card before all others', () => {
    const layout = createMap(createDepths(30_000, 12, createRandom(3)), 'right', createRandom(4))
    const size = { width: 900, height: 600 }
    const view = fitView({ bounds: layout.bounds, projection: 'right', size })
    expect(FONT_PX * view.zoomY).toBeLessThan(4)
    const getBranchSize = (row: number): number => (layout.ends[row] ?? 0) - row
    const order = orderBranches(layout, getBranchSize)
    const measures = { getWidth: () => 100, getBranchSize }
    const first = selectOverview(layout, order, view, size, 0, { ...measures, selectedRow: -1 })
    expect(first.labels[0]?.row).toBe(order[0])
    // Rows of equal size keep their order, because sorting is stable.
    const rows = [...order.keys()].sort((left, right) => getBranchSize(right) - getBranchSize(left))
    expect([...order]).toEqual(rows)
    const selectedRow = 20_011
    expect(getBranchSize(selectedRow)).toBeLessThan(10)
    const second = selectOverview(layout, order, view, size, 0, { ...measures, selectedRow })
    expect(second.labels[0]?.row).toBe(selectedRow)
  })
})
