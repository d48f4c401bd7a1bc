import fc from 'fast-check'
import { expect, test } from 'vitest'
import { guessNextCursor } from '../../../shared/bridge/listing-cursor.ts'

const toJsonBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

test('finds the cursor at the end of a page, whatever it contains', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 100 }),
      fc.array(fc.record({ title: fc.string() })),
      (cursor, nodes) => {
        expect(guessNextCursor(toJsonBytes({ nodes, nextCursor: cursor }))).toBe(cursor)
      },
    ),
  )
})

test('makes no guess without a cursor or if it is far from the end', () => {
  expect(guessNextCursor(toJsonBytes({ nodes: [] }))).toBeNull()
  expect(guessNextCursor(toJsonBytes({ nodes: [], nextCursor: null }))).toBeNull()
  expect(guessNextCursor(toJsonBytes({ nextCursor: 'c', nodes: ['x'.repeat(2000)] }))).toBeNull()
  expect(guessNextCursor(new TextEncoder().encode('{"nextCursor":"\\u12"}'))).toBeNull()
})
