import { expect, test } from 'vitest'
import { flattenOutline } from '../../../../../renderer/model/responses/outline-lines.ts'

test('safety 52: a segment with more child segments than a function call takes as arguments is truncated at the limit', () => {
  const children = Array.from({ length: 200_000 }, (_, index) => ({ title: `Chapter ${index}` }))
  const lines = flattenOutline({ segments: [{ title: 'Book', children }] })
  expect(lines).toHaveLength(20_000)
  expect(lines.slice(0, 3).map(({ title, depth }) => `${depth} ${title}`)).toEqual([
    '0 Book',
    '1 Chapter 0',
    '1 Chapter 1',
  ])
})
