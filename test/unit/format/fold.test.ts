import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitAtMatch } from '../../../renderer/components/text-match.ts'
import { findFolded, foldText } from '../../../shared/format/text-folding.ts'

const NFD_CAFE = 'Cafe\u0301'

test.each([
  ['Café', NFD_CAFE],
  ['ｆｕｌｌ　ＷＩＤＴＨ', 'full width'],
  ['ｶﾞｷﾞ', 'ガギ'],
  ['한글', '한글'.normalize('NFD')],
  ['Straße', 'STRASSE'],
  ['STRAẞE', 'strasse'],
  ['ΟΔΟΣ', 'οδος'],
  ['οδοσ', 'οδος'],
  ['İSTANBUL', 'istanbul'],
  ['ﬁle', 'FILE'],
  ['Å', '\u212b'],
  ['Việt', 'VIỆT'.normalize('NFD')],
])('foldText makes %j and %j equal', (text, other) => {
  expect(foldText(text)).toBe(foldText(other))
})

test('foldText keeps apart what differs, and leaves folded texts alone', () => {
  expect(foldText('cafe')).not.toBe(foldText('café'))
  expect(foldText('ısı')).not.toBe(foldText('isi'))
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(foldText(foldText(text))).toBe(foldText(text))
    }),
  )
})

test.each([
  [`a ${NFD_CAFE} b`, 'café', NFD_CAFE],
  ['a Café b', NFD_CAFE, 'Café'],
  ['İSTANBUL Map', 'map', 'Map'],
  ['Straße 1', 'SS', 'ß'],
  ['Große Straße', 'strasse', 'Straße'],
  ['１２ ＦＵＬＬ', 'full', 'ＦＵＬＬ'],
  ['ｶﾞｷﾞｸﾞ', 'ギ', 'ｷﾞ'],
  ['各位 卡片', '卡', '卡'],
  ['plain ASCII', 'ascii', 'ASCII'],
])('findFolded returns offsets in the original: %j has %j at %j', (text, query, match) => {
  const [start, end] = findFolded(text, foldText(query)) ?? [0, 0]
  expect(text.slice(start, end)).toBe(match)
  expect(splitAtMatch(text, foldText(query))).toEqual([text.slice(0, start), match, text.slice(end)])
})

test('findFolded finds a text in itself wherever it begins', () => {
  expect(findFolded('text', '')).toBeNull()
  expect(findFolded('text', 'é')).toBeNull()
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: 'grapheme', minLength: 1 }), (before, text) => {
      fc.pre(foldText(text).trim() !== '' && foldText(before + text).includes(foldText(text)))
      const match = findFolded(`${before}\n${text}`, foldText(text))
      if (match) expect(foldText(`${before}\n${text}`.slice(...match))).toContain(foldText(text))
    }),
  )
})
