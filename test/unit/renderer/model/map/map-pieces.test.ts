import { expect, test } from 'vitest'
import type { MapCards } from '../../../../../renderer/model/map/map-cards.ts'
import { layoutMap, mapProjections } from '../../../../../renderer/model/map/map-layout.ts'
import { buildLegend, mapSigns } from '../../../../../renderer/model/map/map-legend.ts'
import { buildMapPieces, countPieceRows } from '../../../../../renderer/model/map/map-pieces.ts'

/** A root with 1,000 children, each of which has a child. */
const depths = Uint32Array.from({ length: 2_001 }, (_depth, row) => (row === 0 ? 0 : row % 2 === 1 ? 1 : 2))
const cards: MapCards = {
  selectedRow: -1,
  currentRow: -1,
  fitTitle: (row) => `Card ${row}`,
  getHiddenCount: () => 0,
  getMatch: () => 0,
  hasProblem: () => false,
  isSubMap: () => false,
  getLevel: (row) => (row === 1_999 ? 1 : 0),
  levelColors: new Map([[0, 'rgb(1, 2, 3)']]),
  getGlyphs: () => [],
  getChange: () => null,
  formatCount: String,
}

test.each(mapProjections)('all rows of a map %s are in its pieces, with their titles and edges', (projection) => {
  const rows = { length: depths.length, nodes: depths, depths }
  const layout = layoutMap(rows, projection, { getTextWidth: () => 60, getHiddenCount: () => 0 })
  const pieces = [...buildMapPieces(layout, cards)]
  const titles = pieces.flatMap(({ scene }) => scene.texts.map(({ text }) => text))
  expect(new Set(titles).size).toBe(2_001)
  expect(titles).toHaveLength(2_001)
  expect(pieces.flatMap(({ scene }) => scene.boxes).filter(({ fill }) => fill === 'rgb(1, 2, 3)')).toHaveLength(1)
  expect(pieces.reduce((sum, { rowCount }) => sum + rowCount, 0)).toBe(countPieceRows(layout))
  const edges = pieces.flatMap(({ x, y, scene }) =>
    scene.edges.flatMap(({ ends }) =>
      Array.from({ length: ends.length / 4 }, (_edge, index) => [...ends.subarray(index * 4, index * 4 + 4)]).map(
        ([x1 = 0, y1 = 0, x2 = 0, y2 = 0]) => [x + x1, y + y1, x + x2, y + y2],
      ),
    ),
  )
  expect(edges).toHaveLength(projection === 'icicle' ? 0 : 2_000)
  const { left, top, right, bottom } = layout.bounds
  for (const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] of edges) {
    for (const x of [x1, x2]) expect(x >= left - 1 && x <= right + 1).toBe(true)
    for (const y of [y1, y2]) expect(y >= top - 1 && y <= bottom + 1).toBe(true)
  }
  const boxes = pieces.flatMap(({ x, y, scene }) => scene.boxes.map((box) => ({ x: x + box.x, y: y + box.y, box })))
  for (const { x, y, box } of boxes) {
    expect(x >= left - 1 && x + box.width <= right + 1).toBe(true)
    expect(y >= top - 1 && y + box.height <= bottom + 1).toBe(true)
  }
})

test('a legend breaks its lines and signs where the picture ends, and its height covers them', () => {
  const legend = {
    title: `系统解剖学 ${'long title '.repeat(40)}`,
    facts: ['163 of 163 cards drawn.', '一'.repeat(200)],
    signs: mapSigns.map((sign) => ({ sign, label: `The sign of ${sign}` })),
  }
  const measure = (text: string, fontPx: number): number => text.length * fontPx
  const { scene, height } = buildLegend(legend, 640, measure)
  for (const { x, y, text, fontPx } of scene.texts) {
    expect(x + measure(text, fontPx)).toBeLessThanOrEqual(640)
    expect(y).toBeLessThan(height)
  }
  expect(
    scene.texts
      .map(({ text }) => text)
      .join('')
      .replaceAll(' ', ''),
  ).toContain('一'.repeat(200))
  for (const box of scene.boxes) expect(box.x + box.width).toBeLessThanOrEqual(640)
  expect(buildLegend({ title: '', facts: [], signs: [] }, 640, measure).height).toBeGreaterThan(0)
})
