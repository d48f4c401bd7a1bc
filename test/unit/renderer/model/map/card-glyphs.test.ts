import { expect, test } from 'vitest'
import { parseCardMarks } from '../../../../../renderer/model/cards/card-marks.ts'
import {
  getStripWidth,
  listCardGlyphs,
  placeGlyphs,
  placeGlyphsInBox,
} from '../../../../../renderer/model/map/card-glyphs.ts'

test('a card has glyphs of what it holds, in one order', () => {
  const item = {
    noteid: 'A',
    title: 'Skull',
    hashtags: ['#bones', '#practice/again'],
    parts: [{ kind: 'ink' }, { kind: 'image' }, { kind: 'audio' }],
    texts: [{ text: 'The skull has 22 bones.' }],
    bands: [{}],
  }
  const glyphs = listCardGlyphs(parseCardMarks(item))
  expect(glyphs).toEqual(['practice', 'hashtag', 'audio', 'bands', 'ink', 'picture', 'text'])
  expect(listCardGlyphs(parseCardMarks({ noteid: 'B' }))).toEqual([])
})

test('glyphs stand side by side on the lower line of a box, as many as fit', () => {
  const box = { x: 100, y: 50, width: 60, height: 24 }
  const strip = placeGlyphsInBox(['hashtag', 'audio', 'ink', 'text', 'picture'], box, 1)
  expect(strip?.glyphs.map(({ glyph }) => glyph)).toEqual(['hashtag', 'audio', 'ink'])
  expect(strip?.x).toBeGreaterThan(box.x)
  expect((strip?.x ?? 0) + (strip?.width ?? 0)).toBeLessThan(box.x + box.width)
  expect((strip?.y ?? 0) + (strip?.height ?? 0) / 2).toBe(box.y + box.height)
  expect(placeGlyphsInBox(['text'], { ...box, width: 20 }, 1)).toBeNull()
})

test('glyphs that nobody could tell from each other are left out', () => {
  expect(placeGlyphs(['text'], 100, 10, 0.5)).toBeNull()
  expect(getStripWidth(3, 0.5)).toBe(0)
  expect(placeGlyphs([], 100, 10, 1)).toBeNull()
})
