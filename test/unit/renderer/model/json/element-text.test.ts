import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scanElementRanges, getElementText } from '../../../../../shared/json/list-elements.ts'

test('every element of a list response is returned exactly as sent', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 8 }), fc.constantFrom(0, 2), (list, indent) => {
      const text = JSON.stringify(list, null, indent)
      list.forEach((value, n) =>
        expect(JSON.parse(getElementText(text, null, n) ?? '')).toEqual(JSON.parse(JSON.stringify(value))),
      )
      expect(getElementText(text, null, list.length)).toBeNull()
    }),
  )
})

function rangesOf(bytes: Uint8Array, member: string | null): Uint32Array {
  const steps = scanElementRanges(bytes, member)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

test('the ranges of all elements match those of each single one', () => {
  const member = fc.constantFrom('items', null)
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 8 }), member, fc.constantFrom(0, 2), (list, name, indent) => {
      const text = JSON.stringify(
        name === null ? list : { before: [1, { items: [2] }], items: list, after: 1 },
        null,
        indent,
      )
      const bytes = new TextEncoder().encode(text)
      const ranges = rangesOf(bytes, name)
      expect(ranges.length).toBe(list.length * 2)
      list.forEach((_, n) => {
        const elementBytes = bytes.subarray(ranges[n * 2], ranges[n * 2 + 1])
        expect(new TextDecoder().decode(elementBytes).trim()).toBe(getElementText(text, name, n))
      })
    }),
  )
})

test('ranges are found after names with escapes, quotes and multi-byte characters', () => {
  const text = '{"\\"[,":[9],"文{":"】}\\\\","it\\u0065ms" : [ "日\\"本,", {"a":[1,2]} , -1.50 ],"items2":[3]}'
  const bytes = new TextEncoder().encode(text)
  const ranges = rangesOf(bytes, 'items')
  const texts = Array.from({ length: ranges.length / 2 }, (_, n) =>
    new TextDecoder().decode(bytes.subarray(ranges[n * 2], ranges[n * 2 + 1])).trim(),
  )
  expect(texts).toEqual(['"日\\"本,"', '{"a":[1,2]}', '-1.50'])
  expect(rangesOf(bytes, 'none').length).toBe(0)
})
