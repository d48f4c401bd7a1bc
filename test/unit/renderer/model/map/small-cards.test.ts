import { expect, test } from 'vitest'
import { layoutMap, type MapLayout } from '../../../../../renderer/model/map/map-layout.ts'
import type { MapCards } from '../../../../../renderer/model/map/map-cards.ts'
import { SmallCards, type SceneBlocks } from '../../../../../renderer/model/map/small-cards.ts'

const RED = 'rgb(255, 0, 0)'
const BLUE = 'rgb(0, 0, 255)'

/** A root with children, of the color levels (plus 1) that are given for all of them. */
function draw(
  levels: readonly number[],
  { problemRow = -1, matchRow = -1, isBlock = true } = {},
): readonly SceneBlocks[] {
  const layout: MapLayout = layoutMap(
    {
      length: levels.length,
      nodes: Uint32Array.from(levels.keys()),
      depths: Uint32Array.from(levels, (_level, row) => (row === 0 ? 0 : 1)),
    },
    'right',
    { getTextWidth: () => 40, getHiddenCount: () => 0 },
  )
  const cards: MapCards = {
    fitTitle: () => '',
    getHiddenCount: () => 0,
    getMatch: (row) => (row === matchRow ? 2 : 0),
    hasProblem: (row, rowCount) => row <= problemRow && problemRow < row + rowCount,
    isSubMap: () => false,
    getLevel: (row) => levels[row] ?? 0,
    levelColors: new Map([
      [0, RED],
      [1, BLUE],
    ]),
    getGlyphs: () => [],
    getChange: (row) => (row === 1 ? 'moved' : null),
    selectedRow: -1,
    currentRow: -1,
    formatCount: String,
  }
  const small = new SmallCards(layout, cards)
  if (isBlock) small.addBlock(0, levels.length, 10, 20, 5, 3)
  else for (const row of levels.keys()) small.addCard(row, false, 10, 20 + row * 6, 50, 5)
  return small.blocks.filter(({ boxes }) => boxes.length > 0)
}

const getFills = (blocks: readonly SceneBlocks[]): string[] => blocks.map(({ fill }) => fill)

test('a block has the color of most of its cards', () => {
  expect(getFills(draw([1, 2, 2, 2]))).toEqual([BLUE])
  expect(getFills(draw([1, 1, 1, 2]))).toEqual([RED])
})

test('a block stays neutral while fewer than half of its cards have a known color', () => {
  expect(getFills(draw([0, 0, 0, 0, 0]))).toEqual(['block'])
  expect(getFills(draw([0, 0, 0, 1, 1]))).toEqual(['block'])
  expect(getFills(draw([0, 0, 1, 1, 1]))).toEqual([RED])
})

test('a block shows that one of its cards has a problem', () => {
  const problems = draw([0, 0, 0, 0], { problemRow: 3 }).find(({ fill }) => fill === 'warning')
  expect([...(problems?.boxes ?? [])]).toEqual([8, 19.5, 4, 4])
  expect(getFills(draw([0, 0, 0, 0]))).not.toContain('warning')
})

test('a block is lit where the filter finds a card, also if it is one of many', () => {
  const levels = Array.from({ length: 1_000 }, () => 1)
  expect(getFills(draw(levels, { matchRow: 999 }))).toEqual(['path'])
  expect(getFills(draw(levels))).toEqual([RED])
})

test('a small card shows its color and how it changed', () => {
  const blocks = draw([1, 2], { isBlock: false })
  expect(getFills(blocks)).toEqual([RED, BLUE, 'accent'])
})
