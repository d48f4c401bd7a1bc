import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortRows, type SortKey } from '../../../renderer/components/grid/sort.ts'
import type { CellValue } from '../../../renderer/components/grid/columns.ts'

const sorted = (keys: readonly SortKey[], locale = 'en'): number[] => [...sortRows({ keys, locale })]
const by = (values: readonly CellValue[], descending = false): SortKey => ({ values, descending })

test('numeric texts sort as numbers, empty values come last in both directions, ties keep their order', () => {
  const keys = ['page 10', null, 'Page 2', 7, 'page 2', undefined, 3]
  expect(sorted([by(keys)])).toEqual([6, 3, 2, 4, 0, 1, 5])
  expect(sorted([by(keys, true)])).toEqual([0, 2, 4, 3, 6, 1, 5])
})

test('rows that are equal by the first key are sorted by the second', () => {
  const sets = ['b', 'a', 'B', null, 'a', null]
  const pages = [2, 1, 9, 4, null, 5]
  expect(sorted([by(sets), by(pages, true)])).toEqual([1, 4, 2, 0, 5, 3])
  expect(sorted([by(sets, true), by(pages)])).toEqual([0, 2, 1, 4, 3, 5])
})

test.each([
  ['en', ['Zebra', 'äpfel', 'apple', 'Ärger', '10', '9'], ['9', '10', 'äpfel', 'apple', 'Ärger', 'Zebra']],
  ['zh-CN', ['疼痛', 'b', '阿', '细胞 10', '细胞 9'], ['阿', '疼痛', '细胞 9', '细胞 10', 'b']],
])('texts are sorted for the language %s', (locale, texts, expected) => {
  expect(sorted([by(texts)], locale).map((row) => texts[row])).toEqual(expected)
})

test('every row appears once and in order', () => {
  const value = fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.constantFrom(null, undefined))
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value)), fc.boolean(), fc.boolean(), (pairs, down, otherDown) => {
      const keys = [
        by(
          pairs.map(([first]) => first),
          down,
        ),
        by(
          pairs.map(([, second]) => second),
          otherDown,
        ),
      ]
      const order = sorted(keys)
      expect(order.toSorted((a, b) => a - b)).toEqual(pairs.map((_, row) => row))
      for (const [index, row] of order.slice(1).entries()) {
        const neighbours = [order[index] ?? 0, row]
        const received = neighbours.toSorted((a, b) => a - b)
        const two = keys.map(({ values, descending }) =>
          by(
            received.map((position) => values[position]),
            descending,
          ),
        )
        expect(sorted(two).map((position) => received[position])).toEqual(neighbours)
      }
    }),
  )
})
