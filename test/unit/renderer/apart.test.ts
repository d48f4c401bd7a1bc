import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitLists, ListAssembler } from '../../../renderer/workers/list-chunks.ts'

test('a value that is sent in chunks is reassembled with its members in order', () => {
  const long = fc.integer({ min: 900, max: 3_100 }).map((length) => Array.from({ length }, (_, n) => ({ n })))
  const value = fc.oneof(
    fc.jsonValue(),
    long,
    fc.dictionary(fc.string(), fc.oneof({ weight: 1, arbitrary: long }, { weight: 3, arbitrary: fc.jsonValue() }), {
      maxKeys: 4,
    }),
  )
  fc.assert(
    fc.property(value, (rawValue) => {
      const before = JSON.stringify(rawValue)
      const { rest, chunks: stretches } = structuredClone(splitLists(rawValue))
      expect(stretches.every(({ items }) => items.length <= 1_000)).toBe(true)
      expect(JSON.stringify(rest).length).toBeLessThan(before.length + 1)
      const assembler = new ListAssembler()
      for (const stretch of stretches) assembler.add(stretch)
      expect(JSON.stringify(assembler.assemble(rest))).toBe(before)
    }),
    { numRuns: 60 },
  )
})

test('splitLists removes long lists from the last message, and keeps a member named __proto__', () => {
  const list = Array.from({ length: 2_500 }, (_, n) => n)
  const sentValue = JSON.parse(`{"a":1,"__proto__":[1],"list":${JSON.stringify(list)}}`) as object
  const { rest, chunks: stretches } = splitLists(sentValue)
  expect(stretches.map(({ items }) => items.length)).toEqual([1_000, 1_000, 500])
  expect(Object.entries(rest as object).map(([name]) => name)).toEqual(['a', '__proto__', 'list'])
  expect((rest as { list: unknown[] }).list).toEqual([])
})
