import fc from 'fast-check'
import { expect, test } from 'vitest'
import { elementRanges, elementText } from '../../../shared/tree/slice.ts'

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

test('the ranges of all elements are those of each of them', () => {
  const member = fc.constantFrom('items', null)
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 8 }), member, fc.constantFrom(0, 2), (list, name, indent) => {
      const text = JSON.stringify(
        name === null ? list : { before: [1, { items: [2] }], items: list, after: 1 },
        null,
        indent,
      )
      const steps = elementRanges(text, name)
      let step = steps.next()
      while (step.done !== true) step = steps.next()
      const ranges = step.value
      expect(ranges.length).toBe(list.length * 2)
      list.forEach((_, n) => {
        expect(text.slice(ranges[n * 2], ranges[n * 2 + 1]).trim()).toBe(elementText(text, name, n))
      })
    }),
  )
})
