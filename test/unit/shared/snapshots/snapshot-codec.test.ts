import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  applyDelta,
  decodeWhole,
  encodeDelta,
  encodeWhole,
} from '../../../../electron/core/snapshots/snapshot-codec.ts'
import {
  buildForest,
  buildLinkedForest,
  deriveForest,
  linkCards,
  type CardColumns,
} from '../../../../shared/snapshots/forest.ts'

function toColumns(
  cards: readonly { readonly id: string; readonly parent: string; readonly title: string }[],
): CardColumns {
  return {
    ids: cards.map(({ id }) => id),
    parentIds: cards.map(({ parent }) => parent),
    contents: cards.map(({ title }) => JSON.stringify({ title })),
  }
}

const columnsArbitrary = fc
  .uniqueArray(
    fc.record({
      id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
      parent: fc.oneof(fc.constant(''), fc.string({ maxLength: 3 })),
      title: fc.string({ maxLength: 4 }),
    }),
    { selector: ({ id }) => id, maxLength: 40 },
  )
  .map(toColumns)

test('a stored listing is the listing that was stored, whole or as a delta', () => {
  fc.assert(
    fc.property(columnsArbitrary, columnsArbitrary, (base, columns) => {
      expect(decodeWhole(encodeWhole(columns))).toMatchObject(columns)
      const delta = encodeDelta(base, columns)
      if (delta !== null) expect(applyDelta(base, delta)).toMatchObject(columns)
    }),
  )
})

test('a forest of a stored listing is that of the listing itself, whole or from an earlier forest', () => {
  // Few ids, so that cards stay, and have parents that are not listed, themselves, or one another.
  const tangledArbitrary = fc
    .uniqueArray(
      fc.record({
        id: fc.integer({ max: 30, min: 0 }).map(String),
        parent: fc.oneof(fc.constant(''), fc.integer({ min: 0, max: 32 }).map(String)),
        title: fc.constantFrom('a', 'b'),
      }),
      { selector: ({ id }) => id, maxLength: 30 },
    )
    .map(toColumns)
  fc.assert(
    fc.property(tangledArbitrary, tangledArbitrary, (base, columns) => {
      const forest = buildForest(columns)
      expect(buildLinkedForest(decodeWhole(encodeWhole(columns)))).toEqual(forest)
      const delta = encodeDelta(base, columns)
      if (delta === null) return
      const decoded = decodeWhole(encodeWhole(base))
      expect(buildLinkedForest(linkCards(decoded, applyDelta(decoded, delta)))).toEqual(forest)
      const earlier = buildForest(base)
      expect(deriveForest(earlier, applyDelta(earlier, delta))).toEqual(forest)
    }),
    { numRuns: 500 },
  )
})

const pick = (columns: CardColumns, indexes: readonly number[]): CardColumns => ({
  ids: indexes.map((index) => columns.ids[index] ?? ''),
  parentIds: indexes.map((index) => columns.parentIds[index] ?? ''),
  contents: indexes.map((index) => columns.contents[index] ?? ''),
})

test('a listing without some cards, in another order, needs no content again', () => {
  const base: CardColumns = {
    ids: Array.from({ length: 100 }, (_, index) => `n${index}`),
    parentIds: Array.from({ length: 100 }, (_, index) => (index === 0 ? '' : 'n0')),
    contents: Array.from({ length: 100 }, (_, index) => `{"title":"title ${index}"}`),
  }
  const columns = pick(base, [0, 50, ...Array.from({ length: 49 }, (_, index) => index + 1), 60])
  const delta = encodeDelta(base, columns) ?? ''
  expect(delta).not.toContain('title')
  expect(applyDelta(base, delta)).toMatchObject(columns)
})

test('a delta that would hold most of the listing is none', () => {
  const base: CardColumns = { ids: [], parentIds: [], contents: [] }
  const ids = Array.from({ length: 100 }, (_, index) => `n${index}`)
  expect(encodeDelta(base, { ids, parentIds: ids.map(() => ''), contents: ids.map(() => '{}') })).toBeNull()
})

test('damaged texts are refused', () => {
  expect(() => decodeWhole('{"ids":["a"],"parents":[]}')).toThrow('damaged')
  expect(() => applyDelta({ ids: ['a'], parentIds: [''], contents: ['{}'] }, '{"runs":[0,2],"cards":[]}')).toThrow(
    'damaged',
  )
  expect(() => applyDelta({ ids: [], parentIds: [], contents: [] }, 'null')).toThrow()
})
