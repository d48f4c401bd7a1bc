import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldText } from '../../../shared/format/text-folding.ts'

test('foldText keeps the length of a text, so that match positions stay valid', () => {
  expect(foldText('İSTANBUL Map')).toBe('istanbul map')
  expect(foldText('ＡＢＣ　１２ ΟΔΟΣ')).toBe('abc 12 οδοσ')
  expect('İSTANBUL Map'.slice(foldText('İSTANBUL Map').indexOf('map'))).toBe('Map')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(5), (text, dots) => {
      const fullText = 'İ'.repeat(dots) + text
      expect(foldText(fullText)).toHaveLength(fullText.length)
    }),
  )
})
