import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toPointer } from '../../../shared/json/pointer.ts'
import { extractRawTexts } from '../../../shared/json/raw-texts.ts'

test('extractRawTexts returns values exactly as written', () => {
  const text = ' {"a":[1, {"b~/c": 12345678901234567890 }, [ ]] , "d":"\\u0041,]}" , "\\u0065": null , "a2": {"a":1.0}}'
  const rawTexts = extractRawTexts(text, ['/a/1/b~0~1c', '/a/2', '/d', '/e', '/a2/a', '/nothing', '/a/9'], 100)
  expect([...rawTexts].map(([pointer, { text: rawText }]) => [pointer, rawText])).toEqual([
    ['/a/1/b~0~1c', '12345678901234567890'],
    ['/a/2', '[ ]'],
    ['/d', '"\\u0041,]}"'],
    ['/e', 'null'],
    ['/a2/a', '1.0'],
  ])
  expect(extractRawTexts('[1]', [''], 100).get('')).toEqual({ text: '[1]', isTruncated: false })
})

test('extractRawTexts uses the last value of a duplicate key, and truncates long ones', () => {
  expect(extractRawTexts('{"a":1,"a":"0123456789"}', ['/a'], 5).get('/a')).toEqual({ text: '"0123', isTruncated: true })
})

test('extractRawTexts finds every value of any JSON', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(4), (json, indent) => {
      const value: unknown = JSON.parse(json)
      const text = JSON.stringify(value, null, indent)
      const all = new Map<string, unknown>()
      const visit = (node: unknown, trail: readonly string[]): void => {
        all.set(toPointer(trail), node)
        if (typeof node === 'object' && node !== null) {
          for (const [name, member] of Object.entries(node)) visit(member, [...trail, name])
        }
      }
      visit(value, [])
      const rawTexts = extractRawTexts(text, all.keys(), 1e6)
      for (const [pointer, ownValue] of all) expect(JSON.parse(rawTexts.get(pointer)?.text ?? '')).toEqual(ownValue)
    }),
  )
})
