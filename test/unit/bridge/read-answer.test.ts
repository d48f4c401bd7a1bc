import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endpoints, isJsonEndpointId, getResponseSchema } from '../../../shared/bridge/endpoints/index.ts'
import { readResponse, locateSentEntry } from '../../../shared/bridge/response-reading.ts'

describe('the list that an answer is about', () => {
  test('is found under its name, whatever other lists there are', () => {
    const answer = { decks: [{ deckId: 'a' }], other: [{ b: 1 }] }
    expect(readResponse('decks.list', answer)).toMatchObject({ value: answer, problemCount: 0, lists: {} })
    expect(readResponse('decks.list', { decks: [], other: [{ deckId: 'b' }] }).value?.decks).toEqual([])
  })

  test('is found if it is the answer itself, or the only other list of objects', () => {
    const excerpt = { noteid: 'N' }
    const bare = readResponse('notes.batchGet', [2, excerpt, null])
    expect(bare).toMatchObject({ value: { items: [excerpt] }, omittedEntryCount: 2, problemCount: 3 })
    expect(bare.problems.map(({ path, entry }) => [path, entry])).toEqual([
      ['', null],
      ['/0', '/0'],
      ['/2', '/2'],
    ])
    expect(locateSentEntry(bare.lists, 'items', 0)).toEqual({ member: null, index: 1 })

    const named = readResponse('notes.batchGet', { cards: [{ x: 1 }, { noteid: 'a', title: 7 }], tags: ['x'] })
    expect(named.value).toEqual({ items: [{ noteid: 'a' }], tags: ['x'] })
    expect(named.problems.map(({ path }) => path)).toEqual(['/items', '/cards/0/noteid', '/cards/1/title'])
    expect(locateSentEntry(named.lists, 'items', 0)).toEqual({ member: 'cards', index: 1 })
    expect(locateSentEntry(named.lists, 'other', 4)).toEqual({ member: 'other', index: 4 })
  })

  test('whose name no document shows may have any, and may be empty', () => {
    for (const sent of [[{ deckId: 'a' }], { items: [{ deckId: 'a' }], tags: ['x'] }, { all: [{ deckId: 'a' }] }]) {
      expect(readResponse('decks.list', sent)).toMatchObject({ value: { decks: [{ deckId: 'a' }] }, problemCount: 0 })
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

  test('that is bare by contract is not a problem', () => {
    expect(readResponse('studySets.subMaps', [{ noteid: 'N' }])).toMatchObject({
      value: { subMaps: [{ noteid: 'N' }] },
      problemCount: 0,
    })
  })

  test('is never another one that the schema names', () => {
    expect(readResponse('documents.excerpts', { duplicates: [{ noteid: 'N' }] }).value).toBeUndefined()
  })

  test('is not empty if it cannot be read', () => {
    for (const answer of [{}, { decks: null }, { decks: 'x' }, { things: [{ a: 1 }], more: [{ b: 1 }] }, null, 7]) {
      expect(readResponse('decks.list', answer)).toMatchObject({ value: undefined, problemCount: 1 })
    }
    expect(readResponse('search.get', { hits: 'x' })).toMatchObject({
      value: undefined,
      problems: [{ path: '/hits', expected: 'array', actual: 'string' }],
    })
    expect(readResponse('search.get', { scanned: 1 }).value).toEqual({ scanned: 1 })
  })
})

const ids = endpoints.map(({ id }) => id).filter(isJsonEndpointId)

/** A member of an answer that may be wrong in every way a host could think of. */
const anything = fc.constantFrom<unknown>(
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

test.each(ids)('safety 54: whatever is in a list of %s, the good entries are read', (id) => {
  const rule = endpoints.flatMap((row) => (row.id === id && row.response.kind === 'json' ? [row.response.list] : []))[0]
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 8 }), (entries) => {
      const member = rule?.member ?? 'items'
      const answer = { [member]: entries }
      const { value, lists } = readResponse(id, answer)
      if (value === undefined) return
      expect(getResponseSchema(id).safeParse(value).success).toBe(true)
      const list: unknown = Reflect.get(value, member)
      if (rule && Array.isArray(list)) {
        list.forEach((entry, at) => {
          const sent = entries[locateSentEntry(lists, member, at).index]
          const whole: unknown[] = typeof sent === 'object' ? Object.keys(Object(sent)) : [sent]
          const parts: unknown[] = typeof sent === 'object' ? Object.keys(Object(entry)) : Object.values(Object(entry))
          expect(whole).toEqual(expect.arrayContaining(parts))
        })
      }
    }),
  )
})
