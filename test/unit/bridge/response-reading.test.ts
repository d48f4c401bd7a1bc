import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endpoints, isJsonEndpointId, getResponseSchema } from '../../../shared/bridge/endpoints/index.ts'
import { readResponse, locateSentEntry } from '../../../shared/bridge/response-reading.ts'

describe('main list of a response', () => {
  test('is found under its name, whatever other lists there are', () => {
    const response = { decks: [{ deckId: 'a' }], other: [{ b: 1 }] }
    expect(readResponse('decks.list', response)).toMatchObject({ value: response, problemCount: 0, lists: {} })
    expect(readResponse('decks.list', { decks: [], other: [{ deckId: 'b' }] }).value?.decks).toEqual([])
  })

  test('is found if it is the whole response or the only other list of objects', () => {
    const excerpt = { noteid: 'N' }
    const bareList = readResponse('notes.batchGet', [2, excerpt, null])
    expect(bareList).toMatchObject({ value: { items: [excerpt] }, omittedEntryCount: 2, problemCount: 3 })
    expect(bareList.problems.map(({ path, entry }) => [path, entry])).toEqual([
      ['', null],
      ['/0', '/0'],
      ['/2', '/2'],
    ])
    expect(locateSentEntry(bareList.lists, 'items', 0)).toEqual({ member: null, index: 1 })

    const namedList = readResponse('notes.batchGet', { cards: [{ x: 1 }, { noteid: 'a', title: 7 }], tags: ['x'] })
    expect(namedList.value).toEqual({ items: [{ noteid: 'a' }], tags: ['x'] })
    expect(namedList.problems.map(({ path }) => path)).toEqual(['/items', '/cards/0/noteid', '/cards/1/title'])
    expect(locateSentEntry(namedList.lists, 'items', 0)).toEqual({ member: 'cards', index: 1 })
    expect(locateSentEntry(namedList.lists, 'other', 4)).toEqual({ member: 'other', index: 4 })
  })

  test('may have any name and may be empty if no document shows its name', () => {
    for (const response of [[{ deckId: 'a' }], { items: [{ deckId: 'a' }], tags: ['x'] }, { all: [{ deckId: 'a' }] }]) {
      expect(readResponse('decks.list', response)).toMatchObject({
        value: { decks: [{ deckId: 'a' }] },
        problemCount: 0,
      })
    }
    expect(readResponse('decks.list', { items: [] })).toMatchObject({
      value: { decks: [] },
      problemCount: 0,
      conversions: [{ path: '/items', name: 'decks', conversionKind: 'list', count: 1 }],
    })
    expect(readResponse('decks.list', []).conversions).toEqual([
      { path: '', name: 'decks', conversionKind: 'list', count: 1 },
    ])
  })

  test('is no problem if the contract shows a bare list', () => {
    expect(readResponse('studySets.subMaps', [{ noteid: 'N' }])).toMatchObject({
      value: { subMaps: [{ noteid: 'N' }] },
      problemCount: 0,
    })
  })

  test('is never read from another list that the schema names', () => {
    expect(readResponse('documents.excerpts', { duplicates: [{ noteid: 'N' }] }).value).toBeUndefined()
  })

  test('is undefined, and not empty, if it cannot be read', () => {
    for (const response of [{}, { decks: null }, { decks: 'x' }, { things: [{ a: 1 }], more: [{ b: 1 }] }, null, 7]) {
      const unread = { value: undefined, isShapeUnknown: true, problemCount: 0 }
      expect(readResponse('decks.list', response)).toMatchObject(unread)
    }
    expect(readResponse('notes.batchGet', { items: 'x' })).toMatchObject({
      value: undefined,
      problems: [{ path: '/items', expected: 'array', actual: 'string' }],
    })
  })

  test.each<[string, unknown]>([
    ['a count alone', { scanned: 1 }],
    ['a text', { hits: '3 of them' }],
    ['pairs', { hits: { pairs: [['N1', 'Title']] } }],
    ['only remarks about it', { hits: { total: 3 }, warnings: [] }],
    ['an empty object', { hits: {} }],
    ['several lists of other things', { facets: [{ count: 1 }], terms: [{ word: 'x' }] }],
  ])('is not known to be empty if there is %s', (_case, response) => {
    expect(readResponse('search.get', response)).toMatchObject({ value: undefined, isShapeUnknown: true })
  })

  test.each<[string, unknown]>([
    ['in all groups', { found: { documents: [], notes: [] } }],
    ['beside remarks', { matches: [], warnings: ['slow'], scanned: 9 }],
  ])('is empty if it was sent empty %s', (_case, response) => {
    expect(readResponse('search.get', response)).toMatchObject({ value: { hits: [] }, problemCount: 0 })
  })

  test('is searched in a bounded part of a hostile response', () => {
    let deep: Record<string, unknown> = { notes: [{ noteid: 'N' }] }
    for (let depth = 0; depth < 5_000; depth += 1) deep = { deep }
    expect(readResponse('search.get', deep).isShapeUnknown).toBe(true)
    const wide = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`member${index}x`, { a: { b: [1] } }]),
    )
    const startedAt = performance.now()
    expect(readResponse('decks.list', { ...wide, list: { x: wide } }).isShapeUnknown).toBe(true)
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })
})

const ids = endpoints.map(({ id }) => id).filter(isJsonEndpointId)

/** A list entry that is wrong in one of many ways. */
const anyEntry = fc.constantFrom<unknown>(
  null,
  7,
  -1,
  1e9,
  true,
  'x',
  '',
  'x'.repeat(9_999),
  [],
  {},
  [null],
  [7],
  [[]],
  [{}],
  { a: 1 },
)

test.each(ids)('safety 54: reads the good entries of a list of %s, whatever else is in it', (id) => {
  const rule = endpoints.flatMap((row) => (row.id === id && row.response.kind === 'json' ? [row.response.list] : []))[0]
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 8 }), (entries) => {
      const member = rule?.member ?? 'items'
      const response = { [member]: entries }
      const { value, lists } = readResponse(id, response)
      if (value === undefined) return
      expect(getResponseSchema(id).safeParse(value).success).toBe(true)
      const list: unknown = Reflect.get(value, member)
      if (rule && Array.isArray(list)) {
        list.forEach((entry, index) => {
          const sentEntry = entries[locateSentEntry(lists, member, index).index]
          const sentParts: unknown[] = typeof sentEntry === 'object' ? Object.keys(Object(sentEntry)) : [sentEntry]
          const readParts: unknown[] =
            typeof sentEntry === 'object' ? Object.keys(Object(entry)) : Object.values(Object(entry))
          expect(sentParts).toEqual(expect.arrayContaining(readParts))
        })
      }
    }),
  )
})
