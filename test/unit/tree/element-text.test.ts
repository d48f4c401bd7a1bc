import fc from 'fast-check'
import { expect, test } from 'vitest'
import { elementText } from '../../../shared/tree/slice.ts'

test('every element of an answer that is a list, exactly as it stands', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 8 }), fc.constantFrom(0, 2), (list, indent) => {
      const text = JSON.stringify(list, null, indent)
      list.forEach((value, n) =>
        expect(JSON.parse(elementText(text, null, n) ?? '')).toEqual(JSON.parse(JSON.stringify(value))),
      )
      expect(elementText(text, null, list.length)).toBeNull()
    }),
  )
})
