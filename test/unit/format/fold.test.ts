import fc from 'fast-check'
import { expect, test } from 'vitest'
import { folded } from '../../../shared/format/fold.ts'

test('a text in lower case keeps its length, so that match positions hold in the text', () => {
  expect(folded('İSTANBUL Map')).toBe('istanbul map')
  expect(folded('ＡＢＣ　１２ ΟΔΟΣ')).toBe('abc 12 οδοσ')
  expect('İSTANBUL Map'.slice(folded('İSTANBUL Map').indexOf('map'))).toBe('Map')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(5), (text, dots) => {
      const whole = 'İ'.repeat(dots) + text
      expect(folded(whole)).toHaveLength(whole.length)
    }),
  )
})
