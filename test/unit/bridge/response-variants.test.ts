import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBundleFilePaths } from '../../../renderer/model/responses/bundle-files.ts'
import {
  endpoints,
  isJsonEndpointId,
  getResponseSchema,
  type JsonEndpointId,
} from '../../../shared/bridge/endpoints/index.ts'
import { flattenOutline } from '../../../renderer/model/responses/outline-lines.ts'
import { readResponse } from '../../../shared/bridge/response-reading.ts'
import { parseSearchHits } from '../../../renderer/model/responses/search-hits.ts'
import { findSessionRecord, findSessionRunId } from '../../../shared/bridge/session-record.ts'
import { findWritingSurface } from '../../../shared/bridge/writing-surface.ts'
import { mapPagesByNumber } from '../../../renderer/places/pages/page-numbers.ts'
import { responseShapes } from './response-shapes.ts'

describe('conversions of a response', () => {
  test.each(responseShapes)('reads %s from %j', (id, response, expectedValue, expectedConversions) => {
    const before = JSON.stringify(response)
    const { value, conversions: readAs } = readResponse(id, response)
    expect(value).toMatchObject(expectedValue)
    const descriptions = readAs.map(
      ({ conversionKind, path, count }) => `${conversionKind} ${path}${count > 1 ? ` x${count}` : ''}`,
    )
    expect(descriptions.sort()).toEqual([...expectedConversions].sort())
    expect(JSON.stringify(response)).toBe(before)
  })

  test.each<[string, JsonEndpointId, unknown]>([
    ['a member under its own name', 'studySets.list', { studySets: [{ topicid: 'T', topicId: 'other' }] }],
    ['a text that is no number', 'decks.list', { decks: [{ deckId: 'D', cardCount: 'many' }] }],
    ['a number with a unit', 'decks.list', { decks: [{ deckId: 'D', cardCount: '3 cards' }] }],
    [
      'a number that a double does not hold',
      'decks.list',
      { decks: [{ deckId: 'D', cardCount: '12345678901234567890' }] },
    ],
    ['an empty id', 'studySets.documents', { documents: [''] }],
    ['a number where an id belongs', 'studySets.documents', { documents: [7] }],
  ])('does not convert %s', (_case, id, response) => {
    expect(readResponse(id, response).conversions).toEqual([])
  })

  test('does not report conversions in an entry that is left out', () => {
    const { value, conversions: readAs } = readResponse('decks.cards', {
      cards: [{ noteid: 7, sourceAlive: 'true' }, { noteid: 'C' }],
    })
    expect(value?.cards).toMatchObject([{ cardNoteId: 'C' }])
    expect(readAs).toEqual([{ path: '/cards/*/noteid', name: 'cardNoteId', conversionKind: 'name', count: 1 }])
  })

  const ids = endpoints.map(({ id }) => id).filter(isJsonEndpointId)
  test.each(ids)('reads a value of the schema from any response to %s', (id) => {
    const key = fc.constantFrom('id', 'noteid', 'index', 'page', 'items', 'title', 'name', 'depth', 'topicid', 'state')
    const value = fc.oneof(fc.string(), fc.integer().map(String), fc.integer(), fc.constantFrom(null, true, 'true'))
    const entry = fc.oneof(value, fc.dictionary(key, value))
    const anyResponse = fc.dictionary(key, fc.oneof(entry, fc.array(entry, { maxLength: 4 })))
    fc.assert(
      fc.property(anyResponse, (response) => {
        const { value: readValue, conversions: readAs } = readResponse(id, response)
        if (readValue !== undefined) expect(getResponseSchema(id).safeParse(readValue).success).toBe(true)
        expect(readAs.every(({ count, name }) => count > 0 && name !== '')).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})

test('reports fifty thousand entries with other names once', () => {
  const decks = Array.from({ length: 50_000 }, (_, index) => ({ id: `${index}`, cardCount: `${index}` }))
  const { value, conversions: readAs, problemCount: total } = readResponse('decks.list', { decks })
  expect([value?.decks.length, value?.decks[49_999]?.cardCount, total]).toEqual([50_000, 49_999, 0])
  expect(readAs).toEqual([
    { path: '/decks/*/id', name: 'deckId', conversionKind: 'name', count: 50_000 },
    { path: '/decks/*/cardCount', name: 'cardCount', conversionKind: 'number', count: 50_000 },
  ])
})

describe('outline', () => {
  const readLines = (response: unknown) =>
    flattenOutline(readResponse('documents.outline', response).value ?? null).map(({ title, page, depth }) => [
      title,
      page,
      depth,
    ])

  test.each<[string, unknown]>([
    [
      'a list with levels',
      [
        { title: 'A', startPage: 1, level: 0 },
        { title: 'B', startPage: 2, level: 1 },
      ],
    ],
    [
      'a list with depths',
      [
        { title: 'A', page: 1, depth: 0 },
        { title: 'B', page: 2, depth: 1 },
      ],
    ],
    ['nested', [{ title: 'A', startPage: 1, children: [{ title: 'B', startPage: 2 }] }]],
    ['nested under another name', [{ title: 'A', page: '1', items: [{ name: 'B', page: 2 }] }]],
  ])('is read from a form that is %s', (_shape, segments) => {
    expect(readLines({ segments })).toEqual([
      ['A', 1, 0],
      ['B', 2, 1],
    ])
  })

  test('has a line for every segment, even without pages and titles', () => {
    expect(
      readLines({
        segments: [{}, { children: [{ children: [7, { title: 'deep' }] }, null] }, { title: 'last', level: 99 }],
      }),
    ).toEqual([
      [undefined, null, 0],
      [undefined, null, 0],
      [undefined, null, 1],
      ['deep', null, 2],
      ['last', null, 12],
    ])
    expect(flattenOutline(null)).toEqual([])
  })

  test('ends even if it nests thousands of times', () => {
    let segment: Record<string, unknown> = { title: 'x' }
    for (let depth = 0; depth < 5_000; depth += 1) segment = { title: 'x', children: [segment] }
    const lines = flattenOutline({ segments: [segment] })
    expect([lines.length, lines.at(-1)?.depth]).toEqual([5_001, 12])
  })
})

test.each<[string, { page?: number; text: string }[], [number, string][]]>([
  [
    'numbered',
    [
      { page: 61, text: 'a' },
      { page: 63, text: 'c' },
    ],
    [
      [61, 'a'],
      [63, 'c'],
    ],
  ],
  [
    'in order',
    [{ text: 'a' }, { text: 'b' }],
    [
      [61, 'a'],
      [62, 'b'],
    ],
  ],
  ['numbered in part', [{ page: 61, text: 'a' }, { text: 'b' }], [[61, 'a']]],
])('numbers page texts that are %s', (_shape, pages, expected) => {
  expect([...mapPagesByNumber(pages, 61)].map(([page, { text }]) => [page, text])).toEqual(expected)
})

test('reads a search hit with its id, also if it does not name its kind', () => {
  const hits = [{ kind: 'note', id: 'N' }, { type: 'document', md5: 'B' }, { id: 'X' }]
  expect(parseSearchHits(hits).map(({ kind, id }) => [kind, id])).toEqual([
    ['note', 'N'],
    ['document', 'B'],
    ['other', 'X'],
  ])
})

test.each<[string, unknown, string | null, string | null]>([
  ['in the window', { window: { topicid: 'T', surfaceId: 'S' } }, 'S', '/window/surfaceId'],
  ['beside the window', { window: { topicid: 'T' }, surfaceId: 'S' }, 'S', '/surfaceId'],
  ['as an object', { surface: { id: 'S' } }, 'S', '/surface/id'],
  ['as an id', { surface: 'S' }, 'S', '/surface'],
  ['in a list of one', { surfaces: [{ surfaceId: 'S' }] }, 'S', '/surfaces/0/surfaceId'],
  ['in a list, the active one', { surfaces: [{ id: 'R' }, { id: 'S', active: true }] }, 'S', '/surfaces/1/id'],
  ['in a list of ids', { surfaces: ['S'] }, 'S', '/surfaces/0'],
  ['under its name', { surfaces: { main: { surfaceId: 'S' } } }, 'S', '/surfaces/main/surfaceId'],
  ['in the list of the window', { window: { surfaces: [{ id: 'S' }] } }, 'S', '/window/surfaces/0/id'],
  [
    'in the window that is in front',
    { windows: [{ surfaceId: 'R' }, { surfaceId: 'S', focused: true }] },
    'S',
    '/windows/1/surfaceId',
  ],
  ['deep in an object', { writing: { session: { surfaceId: 'S' } } }, 'S', '/writing/session/surfaceId'],
  ['deep in a list', { a: { b: [{ surface: { id: 'S' } }] } }, 'S', '/a/b/0/surface/id'],
  [
    'marked as active, anywhere',
    { a: [{ surfaceId: 'R' }], b: { c: { surfaceId: 'S', active: true } } },
    'S',
    '/b/c/surfaceId',
  ],
  ['among several anywhere, none marked', { a: { surfaceId: 'R' }, b: { surfaceId: 'S' } }, null, null],
  ['among several in a list, none marked', { surfaces: [{ id: 'R' }, { id: 'S' }] }, null, null],
  [
    'in the window that the response is about',
    {
      window: { windowId: 'W2' },
      surfaces: [
        { surfaceId: 'A', windowId: 'W1' },
        { surfaceId: 'B', windowId: 'W2' },
      ],
    },
    'B',
    '/surfaces/1/surfaceId',
  ],
  [
    'in a window of two surfaces',
    {
      window: { windowId: 'W' },
      surfaces: [
        { surfaceId: 'A', windowId: 'W' },
        { surfaceId: 'B', windowId: 'W' },
      ],
    },
    null,
    null,
  ],
  ['confused with the id of a window', { window: { id: 'W', windowId: 'W' } }, null, null],
  ['in nothing', null, null, null],
])('finds the writing surface %s', (_shape, context, surfaceId, from) => {
  const surface = findWritingSurface(context)
  expect([surface?.surfaceId ?? null, surface?.pointer ?? null]).toEqual([surfaceId, from])
})

describe('record of the practice session', () => {
  const old = { runId: 'r', requestId: 'old', attemptId: 'a' }
  const mine = { runId: 'r', requestId: 'mine', attemptId: 'b' }
  const command = { requestId: 'mine', attemptId: 'b', recordBefore: old }

  test.each<[string, unknown]>([
    ['under its name', { session: mine }],
    ['under the practice', { practice: { session: mine } }],
    ['in the window', { window: { topicid: 'T', session: mine } }],
    ['in a list', { sessions: [mine] }],
    ['behind an older record under its name', { session: old, practice: { session: mine } }],
    ['behind older records in a list', { sessions: [old, { ...old, requestId: 'older' }, mine] }],
    ['where the host says that there is no session any more', { session: null, history: [mine] }],
    ['behind a record with another attempt and no request', { session: { runId: 'r', attemptId: 'z' }, last: mine }],
  ])('is found %s', (_case, context) => {
    expect(findSessionRecord(context, command)).toEqual(mine)
  })

  test('is the latest record if the records have times', () => {
    const createRecord = (requestId: string, updatedAt: unknown) => ({ runId: 'r', requestId, updatedAt })
    const context = {
      sessions: [
        createRecord('a', 1_793_347_200),
        createRecord('b', '2026-10-31T08:00:00Z'),
        createRecord('c', 1_793_347_100_000),
      ],
    }
    expect(findSessionRecord(context)).toMatchObject({ requestId: 'b' })
    expect(findSessionRecord({ session: old, more: [mine] })).toEqual(old)
  })

  test.each<[string, unknown, string | null]>([
    ['a record', { practice: { session: mine } }, 'r'],
    ['a record without an attempt', { session: { runId: 'r' } }, 'r'],
    ['a separate run', { practice: { run: { id: 'r', name: 'Monday' } } }, 'r'],
    ['the response itself', { runId: 'r', window: {} }, 'r'],
    ['a nested member', { window: { focus: { practice: { run_id: 'r' } } } }, 'r'],
    ['nothing', { window: { topicid: 'T' } }, null],
  ])('names the run of %s', (_case, context, runId) => {
    expect(findSessionRunId(context)).toBe(runId)
  })

  test('is null if its place is empty, and undefined without a place', () => {
    expect(findSessionRecord({ practice: { session: null } }, command)).toBeNull()
    expect(findSessionRecord({ window: {} }, command)).toBeUndefined()
  })
})

test.each<[string, unknown, string[] | null]>([
  ['a list of paths', ['a.json', 'b/c.md'], ['a.json', 'b/c.md']],
  ['files with paths', { files: [{ path: 'a.json', size: 3 }, { path: 'b/c.md' }] }, ['a.json', 'b/c.md']],
  ['files with names', { items: [{ name: 'a.json' }, { filename: 'c.md' }] }, ['a.json', 'c.md']],
  ['a list of any name', { bridgeApiVersion: '0.91', warnings: ['w'], contents: ['a.json'] }, ['a.json']],
  [
    'folders',
    { files: [{ name: 'b', children: [{ name: 'c.md' }, 'd.md'] }, { name: 'a.json' }] },
    ['b/c.md', 'b/d.md', 'a.json'],
  ],
  ['sizes by path', { files: { 'a.json': 3, 'b/c.md': 4 } }, ['a.json', 'b/c.md']],
  ['sizes by path, bare', { 'a.json': 3, 'b/c.md': 4, bridgeApiVersion: '0.91' }, ['a.json', 'b/c.md']],
  ['one path twice', ['a', 'a', { path: 'a' }], ['a']],
  ['nothing', { files: [] }, []],
  ['no list', 'x', null],
  ['a list under no name that is known', { contents: { size: 3 } }, null],
  ['entries without a path', { files: [{ size: 3 }] }, null],
])('reads the files of a bundle from %s', (_shape, response, paths) => {
  expect(parseBundleFilePaths(response)).toEqual(paths)
})
