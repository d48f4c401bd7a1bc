import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortRows } from '../../../renderer/components/grid/sort.ts'
import type { CellValue } from '../../../renderer/components/grid/columns.ts'

const never = new AbortController().signal

test('numbers in texts sort as numbers, empty values come last in both directions, ties keep their order', async () => {
  const keys = ['page 10', null, 'Page 2', 7, 'page 2', undefined, 3]
  expect([...((await sortRows(keys, false, 'en', never)) ?? [])]).toEqual([6, 3, 2, 4, 0, 1, 5])
  expect([...((await sortRows(keys, true, 'en', never)) ?? [])]).toEqual([0, 2, 4, 3, 6, 1, 5])
})

test('many rows sorted in slices end up in the same order as when sorted at once', async () => {
  const value = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant(null))
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 4097, maxLength: 9000 }), fc.boolean(), async (keys, descending) => {
      const order = await sortRows(keys, descending, 'en', never)
      const expected = keys.map((_, at) => at).sort((a, b) => reference(keys[a], keys[b], descending) || a - b)
      expect([...(order ?? [])]).toEqual(expected)
    }),
    { numRuns: 8 },
  )
})

function reference(a: CellValue, b: CellValue, descending: boolean): number {
  if (a === b) return 0
  if (typeof a !== 'number') return 1
  if (typeof b !== 'number') return -1
  return descending ? b - a : a - b
}

test('an abandoned sort returns nothing', async () => {
  const aborted = new AbortController()
  const sorting = sortRows(
    Array.from({ length: 10_000 }, (_, at) => -at),
    false,
    'en',
    aborted.signal,
  )
  aborted.abort()
  expect(await sorting).toBeNull()
})
