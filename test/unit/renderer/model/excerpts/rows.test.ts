import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findIds } from '../../../../../renderer/model/excerpts/recognized-ids.ts'
import {
  countExcerptsByPage,
  filterExcerptRows,
  groupExcerptRows,
  toExcerptRows,
  buildSearchText,
} from '../../../../../renderer/model/excerpts/excerpt-rows.ts'

const item = fc.record(
  {
    noteid: fc.string(),
    cardNoteId: fc.string(),
    topicid: fc.constantFrom('A', 'B', ''),
    page: fc.oneof(fc.integer(), fc.constant('3')),
    startpos: fc.nat(),
    endpos: fc.nat(),
    text: fc.oneof(fc.string(), fc.constant(null)),
  },
  { requiredKeys: [] },
)
const lowerOf = (rows: ReturnType<typeof toExcerptRows>) => rows.map(buildSearchText)

describe('excerpt rows', () => {
  test('include every entry in its position, with deviations marked', () => {
    fc.assert(
      fc.property(fc.array(item), (items) => {
        const rows = toExcerptRows(items as never)
        expect(rows.map(({ index: position }) => position)).toEqual(items.map((_, index) => index))
        rows.forEach((row, index) => {
          const isComplete = Object.keys(items[index] ?? {}).length === 7
          if (!row.hasInvalidMembers) expect(isComplete).toBe(true)
        })
      }),
    )
  })

  test('are counted by page, except for invalid pages', () => {
    const rows = toExcerptRows([2, 4, 2, 0, -3, 1.5, 1e9, undefined].map((page) => ({ page })) as never)
    expect(countExcerptsByPage(rows)).toEqual([0, 2, 0, 1])
    expect(filterExcerptRows(rows, rows.map(buildSearchText), 'p2-4').map(({ page }) => page)).toEqual([2, 4, 2])
    expect(filterExcerptRows(rows, rows.map(buildSearchText), 'p4').map(({ page }) => page)).toEqual([4])
  })

  test('are filtered by every word, in their order', () => {
    fc.assert(
      fc.property(
        fc.array(item),
        fc.string({ unit: fc.constantFrom('a', 'B', ' ', '-', '中'), maxLength: 3 }),
        (items, text) => {
          const rows = toExcerptRows(items as never)
          const matches = filterExcerptRows(rows, lowerOf(rows), text)
          const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean)
          expect(matches).toEqual(rows.filter((row) => words.every((word) => buildSearchText(row).includes(word))))
        },
      ),
    )
    const pages = toExcerptRows([
      { page: 1, text: 'p12' },
      { page: 12, text: 'x' },
      { page: 121, text: 'y' },
    ])
    expect(filterExcerptRows(pages, lowerOf(pages), 'p12').map(({ page }) => page)).toEqual([12])
  })

  test('appear once in groups, and a folded group shows only its header', () => {
    fc.assert(
      fc.property(fc.array(item), fc.constantFrom('page' as const, 'studySet' as const), (items, by) => {
        const rows = toExcerptRows(items as never)
        const all = groupExcerptRows(rows, by, new Set(), (key) => key)
        expect(all.filter((row) => row.kind === 'excerpt')).toHaveLength(rows.length)
        const heads = all.flatMap((row) => (row.kind === 'group' ? [row] : []))
        expect(heads.reduce((sum, { count }) => sum + count, 0)).toBe(rows.length)
        const folded = groupExcerptRows(rows, by, new Set(heads.map(({ key }) => key)), (key) => key)
        expect(folded).toHaveLength(heads.length)
      }),
    )
  })
})

test('ids are found in any response, distinguished by form and name', () => {
  const id = '2F434250-51B5-49D9-8607-E9C650C67873'
  const other = 'A07BE032-389C-4A95-8331-F2BF4FCFD2E7'
  const book = '1d9a74869a3ef16576aa7458dceb3897'
  expect(findIds({ page: 1, noteids: [id, id], topicid: other, deep: [{ b: { bookmd5: book } }] })).toEqual([
    { id: other, kind: 'studySet', name: 'topicid' },
    { id, kind: 'note', name: 'noteids' },
    { id: book, kind: 'document', name: 'bookmd5' },
  ])
  fc.assert(fc.property(fc.jsonValue(), (value) => findIds(value).length <= 50))
})
