import { expect, test } from 'vitest'
import { computeMarkBits, parseCardMarks, toMarkBits } from '../../../../renderer/model/cards/card-marks.ts'

test('marks name the kinds of parts, bands, ink, hashtags, practice and color of a card', () => {
  const marks = parseCardMarks({
    noteid: 'N',
    title: 'Neck',
    texts: [
      { index: 0, text: 'Neck' },
      { index: 1, text: 'C1 is the atlas' },
    ],
    parts: [
      { kind: 'title' },
      { kind: 'ink', contentId: 'i' },
      { kind: 'excerpt_image', contentId: 'p', contentPath: '/notes/M/content/p' },
      { kind: 'audio', contentId: 'a' },
    ],
    bands: [{ hasInk: false }, { hasInk: false }],
    metadata: { colorIndex: 3 },
    hashtags: ['#practice/again', 'bones/neck'],
    practice: [
      { self: 'again', at: 2 },
      { self: 'good', at: 1 },
    ],
  })
  expect(marks).toMatchObject({
    colorIndex: 3,
    groups: ['text', 'picture', 'audio'],
    hasInk: true,
    hasBands: true,
    bandCount: 2,
    tags: ['#bones/neck', '#practice/again'],
    practice: { self: 'again' },
    picture: { noteid: 'M', contentId: 'p' },
  })
  expect(computeMarkBits(marks)).toBe(toMarkBits(['picture', 'ink', 'bands', 'hashtag', 'practice']))
  expect(marks.foldedText).toContain('c1 is the atlas')
})

test('a card of which the host sends nothing has no marks', () => {
  const marks = parseCardMarks({ noteid: 'N', title: 'Neck', texts: [{ index: 0, text: 'Neck' }] })
  expect(marks).toMatchObject({
    colorIndex: null,
    groups: [],
    hasInk: false,
    hasBands: false,
    tags: [],
    practice: null,
    picture: null,
  })
  expect(computeMarkBits(marks)).toBe(0)
})

test.each([
  ['null', { parts: null, texts: null, hashtags: null, bands: null, practice: null, metadata: null }],
  ['of another type', { parts: 'ink', texts: 7, hashtags: {}, bands: 'two', practice: [], metadata: [] }],
  ['lists of nothing', { parts: [null, 3, {}, { kind: 7 }], texts: [null, {}], bands: [], practice: [{}, null] }],
])('members that are %s show nothing', (_, members) => {
  const marks = parseCardMarks({ noteid: 'N', ...members })
  expect(computeMarkBits(marks)).toBe(0)
  expect(marks.groups).toEqual([])
})

test('bands without a list are known from blank texts, and practice without verdicts from its tags', () => {
  const marks = parseCardMarks({
    noteid: 'N',
    texts: [{ kind: 'blank', text: '' }],
    hashtags: ['#practice/question', '#practice/error/careless', '#practice/again'],
  })
  expect(marks).toMatchObject({ hasBands: true, bandCount: null, practice: { self: 'again' } })
})

test('long texts are cut', () => {
  expect(parseCardMarks({ noteid: 'N', texts: [{ text: 'x'.repeat(100_000) }] }).text).toHaveLength(400)
})
