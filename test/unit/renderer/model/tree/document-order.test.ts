import { expect, test } from 'vitest'
import { groupDocumentRuns, isInDocumentOrder } from '../../../../../renderer/model/tree/document-order.ts'
import { Forest } from '../../../../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../../../../renderer/model/tree/tree-reader.ts'

/** A listing of cards by document and page, on two pages of the host. */
function listing(...cards: readonly (readonly [book: string | null, page: number | null])[]): Forest {
  const reader = new TreeReader('')
  const forest = new Forest()
  const nodes = cards.map(([docBookmd5, docPage], index) => ({
    noteid: `N${index}`,
    parent: null,
    title: `Card ${index}`,
    ...(docBookmd5 === null ? {} : { docBookmd5 }),
    ...(docPage === null ? {} : { docPage }),
  }))
  for (const page of [nodes.slice(0, 2), nodes.slice(2)]) {
    reader.readNodes(page)
    forest.appendChunk(reader.linkNodes())
  }
  forest.finishLoading(true)
  return forest
}

test('cards are grouped by document in the order of the listing, across its pages', () => {
  const forest = listing(['A', 1], ['B', 1], ['B', 9], [null, null])
  expect(groupDocumentRuns(forest)).toEqual([
    { documentId: 'A', nodes: [0] },
    { documentId: 'B', nodes: [1, 2] },
    { documentId: '', nodes: [3] },
  ])
  expect(groupDocumentRuns(forest, (node) => node !== 1)).toEqual([
    { documentId: 'A', nodes: [0] },
    { documentId: 'B', nodes: [2] },
    { documentId: '', nodes: [3] },
  ])
})

test.each([
  [true, listing(['A', 1], ['A', 1], ['A', 4], ['B', 2])],
  [true, listing([null, null], ['A', 3], ['A', 4])],
  [false, listing(['A', 2], ['A', 1])],
  [false, listing(['A', 1], ['B', 1], ['A', 2])],
  [false, listing([null, 1], [null, 2])],
])('isInDocumentOrder returns %s', (expected, forest) => {
  expect(isInDocumentOrder(forest)).toBe(expected)
})
