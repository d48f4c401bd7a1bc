import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sortRows, type SortKey } from '../../../renderer/components/grid/sort.ts'
import type { CellValue } from '../../../renderer/components/grid/columns.ts'

const never = new AbortController().signal
const sorted = async (keys: readonly SortKey[], locale = 'en'): Promise<number[]> => [
  ...((await sortRows(keys, locale, never)) ?? []),
]
const by = (values: readonly CellValue[], descending = false): SortKey => ({ values, descending })

test('numbers in texts sort as numbers, empty values come last in both directions, ties keep their order', async () => {
  const keys = ['page 10', null, 'Page 2', 7, 'page 2', undefined, 3]
  expect(await sorted([by(keys)])).toEqual([6, 3, 2, 4, 0, 1, 5])
  expect(await sorted([by(keys, true)])).toEqual([0, 2, 4, 3, 6, 1, 5])
})

test('rows that are equal by the first key are in the order of the second', async () => {
  const sets = ['b', 'a', 'B', null, 'a', null]
  const pages = [2, 1, 9, 4, null, 5]
  expect(await sorted([by(sets), by(pages, true)])).toEqual([1, 4, 2, 0, 5, 3])
  expect(await sorted([by(sets, true), by(pages)])).toEqual([0, 2, 1, 4, 3, 5])
})

describe('the order is that of a plain stable sort with the collator', () => {
  const collators = { en: collator('en'), 'zh-CN': collator('zh-CN') }
  const plain = fc.constantFrom(...' !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~aAbBzZ–—‘’“”、。《》「」『』【】！（），：；？')
  const ideograph = fc.integer({ min: 0x4e00, max: 0x9fff }).map((code) => String.fromCharCode(code))
  const number = fc.constantFrom('0', '00', '007', '7', '10', '9', '99', '1'.repeat(29), '2'.repeat(31), '0'.repeat(40))
  const odd = fc.constantFrom(
    ...[
      'é',
      'e\u0301',
      '\u0327',
      'ß',
      'Æ',
      'ー',
      'か',
      'が',
      '\u0663',
      '１',
      '½',
      '²',
      '\u0000',
      '\u00ad',
      '\u200d',
      '…',
    ],
    ...['ﬁ', '가', '\u1100', 'เ', 'ก', '😀', '\ud83d', '\ufdd0', '々', '\uf900', '·', 'l·', '\ue000', '\u{20000}'],
  )
  const part = fc.oneof({ weight: 5, arbitrary: plain }, { weight: 3, arbitrary: number }, ideograph)
  const common = fc.constantFrom(
    '',
    '',
    'a',
    'The same long beginning, 12 words or more. '.repeat(2),
    '疼痛'.repeat(40),
  )
  const text = fc
    .tuple(common, fc.array(fc.oneof({ weight: 9, arbitrary: part }, odd), { maxLength: 6 }))
    .map(([start, parts]) => start + parts.join(''))
  const value = fc.oneof(
    { weight: 9, arbitrary: text },
    fc.constantFrom(null, undefined, 0, -0, 7, -3.5, Infinity, -Infinity),
  )

  test.each(['en', 'zh-CN'] as const)('in %s', async (locale) => {
    const column = fc.array(value, { minLength: 2, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(column, column, fc.boolean(), fc.boolean(), async (first, other, down, otherDown) => {
        const second = first.map((_, at) => other[at % other.length])
        const keys = [by(first, down), by(second, otherDown)]
        expect(await sorted(keys, locale)).toEqual(expectedOrder(keys, collators[locale]))
      }),
      { numRuns: 400 },
    )
  })

  test('of every two plain characters', async () => {
    const chars = Array.from({ length: 0x5f }, (_, at) => String.fromCharCode(0x20 + at))
    const pairs = [...chars, ...'–—‘’“”、。《》「」【】！（），：；？疼痛'].flatMap((a) => chars.map((b) => a + b))
    for (const locale of ['en', 'zh-CN'] as const)
      expect(await sorted([by(pairs)], locale)).toEqual(expectedOrder([by(pairs)], collators[locale]))
  })

  test('of many rows, which are sorted in slices', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 50, maxLength: 50 }), fc.boolean(), async (some, down) => {
        const keys = [
          by(
            Array.from({ length: 6_000 }, (_, at) => (at % 3 === 0 ? at % 1_000 : some[at % 50])),
            down,
          ),
        ]
        expect(await sorted(keys)).toEqual(expectedOrder(keys, collators.en))
      }),
      { numRuns: 5 },
    )
  })
})

function collator(locale: string): Intl.Collator {
  return new Intl.Collator(locale, { numeric: true, sensitivity: 'base' })
}

function expectedOrder(keys: readonly SortKey[], { compare }: Intl.Collator): number[] {
  const compared = ({ values, descending }: SortKey, a: number, b: number): number => {
    const left = values[a] ?? null
    const right = values[b] ?? null
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    const order =
      typeof left === 'string' && typeof right === 'string'
        ? compare(left, right)
        : typeof left === 'number' && typeof right === 'number'
          ? Number(left > right) - Number(left < right)
          : typeof left === 'number'
            ? -1
            : 1
    return descending ? -order : order
  }
  const rows = Array.from(keys[0]?.values ?? [], (_, at) => at)
  return rows.sort((a, b) => keys.map((key) => compared(key, a, b)).find((order) => order !== 0) ?? a - b)
}

test('an abandoned sort returns nothing', async () => {
  const aborted = new AbortController()
  const values = Array.from({ length: 200_000 }, (_, at) => `text ${-at}`)
  const sorting = sortRows([by(values)], 'en', aborted.signal)
  aborted.abort()
  expect(await sorting).toBeNull()
})
