import fc from 'fast-check'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { dialectTraits, type DialectName } from '../../../electron/demo-host/dialects/index.ts'
import type { DialectTrait } from '../../../electron/demo-host/dialects/dialect-trait.ts'
import { mapPagesByNumber } from '../../../renderer/places/pages/page-numbers.ts'
import { parseBundleFilePaths } from '../../../renderer/model/responses/bundle-files.ts'
import { flattenOutline } from '../../../renderer/model/responses/outline-lines.ts'
import { readResponse } from '../../../shared/bridge/response-reading.ts'
import type { Outline } from '../../../shared/bridge/resources/documents.ts'
import { parseSearchHits } from '../../../renderer/model/responses/search-hits.ts'
import { findSessionRecord } from '../../../shared/bridge/session-record.ts'
import { findWritingSurface } from '../../../shared/bridge/writing-surface.ts'
import { parsePracticeEntries, parseTagPaths } from '../../../renderer/model/cards/card-facts.ts'
import { getPageContentId } from '../../../renderer/model/cards/page-content-id.ts'
import { locatePartContent, parseCardParts } from '../../../renderer/model/cards/card-parts.ts'
import { parseHostTime } from '../../../shared/bridge/host-time.ts'
import { compareCapabilities } from '../../../shared/bridge/capabilities.ts'
import {
  findEndpointById,
  endpoints,
  isJsonEndpointId,
  type ResponseOf,
} from '../../../shared/bridge/endpoints/index.ts'
import { startDemo, type DemoRequest } from '../../support/hosts/demo.ts'

const names = Object.keys(dialectTraits) as DialectName[]
const traits = [
  ...new Map(
    Object.values(dialectTraits).flatMap((all: readonly DialectTrait[]) =>
      all.map((trait) => [trait.name, trait] as const),
    ),
  ).values(),
]

async function startHostWithDialect(dialect: DialectName) {
  const host = await startDemo({ dialect, stepMs: 10 })
  onTestFinished(() => host.host.close())
  const [set] = host.host.state.library.sets
  if (!set) throw new Error('no study set')
  return {
    ...host,
    set,
    params: { topicid: set.topicid, bookmd5: set.documents[0] ?? '', noteid: set.cards[3]?.noteid ?? '' },
  }
}

type TraitCase = readonly [trait: string, id: string, original: unknown, expected: unknown]
const TIMESTAMP = '2026-10-30T08:00:00.000Z'

/** For each trait, a response and what the trait turns it into. */
const traitCases: readonly TraitCase[] = [
  [
    'context-ids',
    'context.get',
    { selectedNotes: [{ noteid: 'N', title: 'T' }], focusedNote: null, documents: [{ bookmd5: 'B', focused: true }] },
    { selectedNotes: ['N'], focusedNote: null, documents: ['B'] },
  ],
  [
    'seconds',
    'studySets.list',
    { studySets: [{ lastModifiedAt: TIMESTAMP, title: TIMESTAMP }] },
    { studySets: [{ lastModifiedAt: 1_793_347_200, title: TIMESTAMP }] },
  ],
  ['seconds', 'notes.practiceVerdict', { practice: { at: 1_793_347_200_999 } }, { practice: { at: 1_793_347_200 } }],
  [
    'tag-paths',
    'notes.batchGet',
    { items: [{ hashtagPaths: [{ path: 'a/b', depth: 2 }] }] },
    { items: [{ hashtagPaths: ['a/b'] }] },
  ],
  [
    'listing-path',
    'capabilities.get',
    {
      routes: [{ method: 'GET', path: '/study-sets/{id}/tree' }, { path: '/decks' }],
      panelRoutes: [{ method: 'GET', path: '/study-sets/{id}/tree' }, { path: '/guide' }],
    },
    {
      routes: [
        { method: 'GET', path: '/study-sets/{id}/cards', query: ['root', 'limit', 'cursor', 'sort', 'withNotes'] },
        { path: '/decks' },
      ],
      panelRoutes: [{ method: 'GET', path: '/study-sets/{id}/cards' }, { path: '/guide' }],
    },
  ],
  [
    'outline-page',
    'documents.outline',
    { segments: [{ title: 'T', startPage: 3, endPage: 4, level: 1 }], hasToc: true },
    { segments: [{ title: 'T', page: 3, depth: 1 }], hasToc: true },
  ],
  ['page-index', 'documents.pages', { pages: [{ page: 3, text: 'x' }] }, { pages: [{ index: 3, text: 'x' }] }],
  [
    'surface-list',
    'writing.context',
    { window: { topicid: 'T', windowId: 'W', surfaceId: 'S', noteid: 'N' } },
    {
      window: { topicid: 'T', windowId: 'W', noteid: 'N' },
      surfaces: [{ surfaceId: 'S', windowId: 'W', noteid: 'N', active: true }],
    },
  ],
  [
    'session-place',
    'writing.context',
    { window: {}, session: { runId: 'R' } },
    { window: {}, practice: { session: { runId: 'R' } } },
  ],
  ['persisted', 'notes.title', { persisted: true, warnings: [] }, { warnings: [] }],
  ['persisted', 'notes.hashtags', { persisted: true }, { persisted: true }],
  ['list-names', 'decks.cards', { cards: [{}], deckId: 'D' }, { items: [{}], deckId: 'D' }],
  ['list-names', 'search.get', { hits: [], scanned: 3 }, { results: [], scanned: 3 }],
  [
    'number-texts',
    'decks.list',
    { decks: [{ cardCount: 3, title: 'T' }] },
    { decks: [{ cardCount: '3', title: 'T' }] },
  ],
  [
    'part-ids',
    'notes.batchGet',
    { items: [{ parts: [{ index: 0, kind: 'title', noteid: 'N' }, { contentId: 'c' }] }] },
    { items: [{ parts: [{ contentId: 'text-N-0', index: 0, kind: 'title', noteid: 'N' }, { contentId: 'c' }] }] },
  ],
  [
    'retry-place',
    'bundles.prepare',
    { error: { code: 'PREPARE_BUSY', details: { runningJob: 'J', retryAfterSeconds: 15 } } },
    { error: { code: 'PREPARE_BUSY', details: { runningJob: 'J' }, retryAfterSeconds: 15 } },
  ],
  ['version-0.49', 'decks.list', { decks: [], bridgeApiVersion: '0.91' }, { decks: [], bridgeApiVersion: '0.49' }],
  ['plain-tree', 'studySets.tree', { nodes: [], nodeTotal: 0, nextCursor: null, truncated: false }, { nodes: [] }],
  [
    'plain-tree',
    'studySets.tree',
    { nodes: [], nodeTotal: 9, nextCursor: 'c', truncated: true },
    { nodes: [], nextCursor: 'c' },
  ],
  ['required-prefix', 'notes.title', { persisted: true }, { persisted: true }],
  [
    'named-members',
    'studySets.list',
    { studySets: [{ topicid: 'T', documentCount: 2 }] },
    { studySets: [{ topicid: 'T' }] },
  ],
  ['named-members', 'decks.cards', { deckId: 'D', cards: [] }, { cards: [] }],
  ['bundle-listing', 'bundles.files', { files: [{ path: 'a.json', size: 3 }] }, ['a.json']],
  [
    'no-panel-list',
    'capabilities.get',
    { routes: [], panelRoutes: [{ method: 'GET', path: '/guide' }] },
    { routes: [] },
  ],
  [
    'nested-outline',
    'documents.outline',
    {
      segments: [
        { title: 'A', startPage: 1, level: 0 },
        { title: 'B', startPage: 2, level: 2 },
        { title: 'C', startPage: 3, level: 0 },
      ],
    },
    {
      segments: [
        { title: 'A', startPage: 1, children: [{ title: 'B', startPage: 2, children: [] }] },
        { title: 'C', startPage: 3, children: [] },
      ],
    },
  ],
  [
    'page-part-paths',
    'documents.pageParts',
    { parts: [{ contentId: 'c', contentPath: '/p', kind: 'ink', mimeType: 'image/png', topicid: 'T' }] },
    { parts: [{ contentPath: '/p', topicid: 'T' }] },
  ],
  ['hit-ids', 'search.get', { hits: [{ kind: 'note', noteid: 'N' }] }, { hits: [{ id: 'N', kind: 'note' }] }],
  [
    'hit-groups',
    'search.get',
    {
      hits: [
        { kind: 'note', noteid: 'N' },
        { kind: 'document', bookmd5: 'B' },
      ],
      scanned: 1,
    },
    { scanned: 1, studySets: [], documents: [{ bookmd5: 'B' }], notes: [{ noteid: 'N' }] },
  ],
  [
    'found-hits',
    'search.get',
    { hits: [{ kind: 'note', noteid: 'N' }], scanned: 1 },
    { scanned: 1, found: { studySets: [], documents: [], notes: [{ noteid: 'N' }] } },
  ],
  [
    'lists-by-id',
    'decks.list',
    { decks: [{ deckId: 'D', title: 'One' }], count: 1 },
    { decks: { D: { title: 'One' } }, count: 1 },
  ],
  [
    'main-document',
    'studySets.documents',
    { documents: [{ bookmd5: 'B', main: true }], mainDocument: 'B' },
    { documents: [{ bookmd5: 'B' }], mainDocument: { bookmd5: 'B' } },
  ],
]

describe('trait of a dialect', () => {
  test.each(traitCases)('%s transforms %s', (name, id, original, expected) => {
    const trait = traits.find((some) => some.name === name)
    expect(
      trait?.endpointIds === null ||
        trait?.endpointIds.some((endpointId) => endpointId === id) ||
        trait?.requiredMembers !== undefined,
    ).toBe(true)
    expect(trait?.transform(original, id)).toEqual(expected)
  })

  it('has a case, a description, and only existing rows', () => {
    expect([...new Set(traitCases.map(([name]) => name))].sort()).toEqual(traits.map(({ name }) => name).sort())
    for (const { description, endpointIds, paths, requiredMembers } of traits) {
      expect(description).toMatch(/\.$/)
      for (const id of [...(endpointIds ?? []), ...Object.keys({ ...paths, ...requiredMembers })])
        expect(findEndpointById(id), id).toBeDefined()
    }
  })

  it('leaves unexpected values alone', () => {
    const value = fc.jsonValue()
    const id = fc.constantFrom(...endpoints.map((row) => row.id))
    fc.assert(
      fc.property(fc.constantFrom(...traits), id, value, (trait, endpointId, response) => {
        const before = JSON.stringify(response)
        expect(() => JSON.stringify(trait.transform(response, endpointId))).not.toThrow()
        expect(JSON.stringify(response)).toBe(before)
      }),
    )
  })
})

describe.each(names)('a host with the dialect %s', (dialect) => {
  it('stores writes, and lists its cards at the path in its capabilities', async () => {
    const { ask, send, params } = await startHostWithDialect(dialect)
    const { json: capabilities } = await ask('capabilities.get')
    const routes = capabilities['routes'] as { method: string; path: string }[]
    const { pathOverrides, missingRowIds: missing, unknownRoutes: unknown } = compareCapabilities({ routes })
    expect([missing, unknown]).toEqual([[], []])
    const listing = (pathOverrides['studySets.tree'] ?? '/study-sets/{topicid}/tree').replace(/\{\w+\}/, params.topicid)
    const { json } = await send('GET', `${listing}?limit=5000`)
    const { title } = (json['nodes'] as { noteid: string; title: string }[]).find(
      ({ noteid }) => noteid === params.noteid,
    ) ?? { title: '' }
    const body = { text: 'In any dialect', expectedPrefix: [...title].slice(0, 32).join(''), confirm: true }
    const done = await ask('notes.title', { params: { noteid: params.noteid }, body })
    expect([done.status, done.json['persisted']]).toEqual([200, ['0.49', 'loose'].includes(dialect) ? undefined : true])
    const after = await send('GET', `${listing}?limit=5000`)
    expect(JSON.stringify(after.json)).toContain('In any dialect')
  })
})

/** The reads that a dialect changes, each with a function that picks the data it is about. */
const dialectReads: readonly (readonly [id: string, request: DemoRequest, pickData: (value: never) => unknown])[] = [
  ['studySets.list', {}, ({ studySets }: ResponseOf<'studySets.list'>) => studySets.map(({ topicid }) => topicid)],
  [
    'decks.list',
    {},
    ({ decks }: ResponseOf<'decks.list'>) => decks.map(({ deckId, cardCount }) => [deckId, cardCount]),
  ],
  [
    'studySets.documents',
    {},
    ({ documents }: ResponseOf<'studySets.documents'>) => documents.map(({ bookmd5, title }) => [bookmd5, title]),
  ],
  ['studySets.subMaps', {}, ({ subMaps }: ResponseOf<'studySets.subMaps'>) => subMaps],
  ['studySets.snapshots', {}, ({ snapshots }: ResponseOf<'studySets.snapshots'>) => snapshots?.length],
  ['documents.outline', {}, (outline: Outline) => flattenOutline(outline)],
  [
    'documents.pages',
    { query: { start: 3, end: 5 } },
    ({ pages }: ResponseOf<'documents.pages'>) => [...mapPagesByNumber(pages, 3).keys()],
  ],
  ['documents.pageParts', {}, ({ parts }: ResponseOf<'documents.pageParts'>) => parts?.map(getPageContentId)],
  [
    'context.get',
    {},
    ({ documents, selectedNotes, focusedNote }: ResponseOf<'context.get'>) => [
      documents?.map(({ bookmd5 }) => bookmd5),
      selectedNotes?.map(({ noteid }) => noteid),
      focusedNote?.noteid,
    ],
  ],
  ['bundles.list', {}, ({ bundles }: ResponseOf<'bundles.list'>) => bundles.map(({ bundleId }) => bundleId)],
  [
    'search.get',
    { query: { q: 'calculus' } },
    ({ hits }: ResponseOf<'search.get'>) => parseSearchHits(hits ?? []).map(({ kind, id }) => [kind, id]),
  ],
  [
    'writing.context',
    {},
    (context: unknown) => [findWritingSurface(context)?.surfaceId, findSessionRecord(context)?.['runId']],
  ],
  [
    'notes.batchGet',
    {},
    ({ items }: ResponseOf<'notes.batchGet'>) =>
      items.map((item) => [
        parseTagPaths(item),
        parseCardParts(item).flatMap((part) => locatePartContent(part, item.noteid) ?? []),
        parsePracticeEntries(item).map(({ timestamp }) => Math.floor((parseHostTime(timestamp).timestamp ?? 0) / 1000)),
      ]),
  ],
]

describe('reading a host', () => {
  /** Returns the data of each read, and the problems and conversions that the reader reports. */
  async function readEverything(dialect: DialectName) {
    const host = await startHostWithDialect(dialect)
    const { state } = host.host
    const card =
      host.set.cards.find(({ practice, parts }) => practice.length > 0 && parts.length > 0) ?? host.set.cards[3]
    const book = state.library.books.get(host.params.bookmd5)
    const index = String((book?.pages.findIndex(({ parts }) => parts.length > 0) ?? 0) + 1)
    Object.assign(state.openState, { topicid: host.params.topicid, bookmd5: host.params.bookmd5, noteid: card?.noteid })
    const session = { requestId: 'r', runId: 'run', questionId: 'q', carrier: 'focus', confirm: true }
    await host.ask('writing.sessionFocusBegin', { body: session })
    const dataById: Record<string, unknown> = {}
    const reports: string[] = []
    for (const [id, request, pickData] of dialectReads) {
      const body = id === 'notes.batchGet' ? { body: { noteIds: [card?.noteid] } } : {}
      const pathParameters = new Set(
        findEndpointById(id)?.parameters.flatMap((parameter) => (parameter.in === 'path' ? [parameter.name] : [])),
      )
      const params = Object.fromEntries(
        Object.entries({ ...host.params, index }).filter(([name]) => pathParameters.has(name)),
      )
      const { json } = await host.ask(id, { params, ...request, ...body })
      if (!isJsonEndpointId(id)) throw new Error(id)
      const { value, problems, conversions: readAs } = readResponse(id, json)
      dataById[id] = pickData(value as never)
      reports.push(
        ...problems.map(({ path }) => `${id} problem ${path}`),
        ...readAs.map(({ conversionKind, path }) => `${id} ${conversionKind} ${path}`),
      )
    }
    const { json } = await host.ask('bundles.files', { params: { bundleId: 'bundle-1' } })
    dataById['bundles.files'] = parseBundleFilePaths(json)
    return { data: dataById, reports }
  }

  it('gives the same data in every dialect without problems, and reports conversions only where a host differs', async () => {
    const reference = await readEverything('0.91')
    expect(reference.reports).toEqual([])
    for (const [id, data] of Object.entries(reference.data)) expect(JSON.stringify(data), id).toMatch(/[\w]/)
    for (const dialect of ['0.49', 'strict', 'loose', 'open'] as const) {
      const other = await readEverything(dialect)
      expect(other.data, dialect).toEqual(reference.data)
      expect(
        other.reports.filter((text) => text.includes(' problem ')),
        dialect,
      ).toEqual([])
      expect(other.reports.length > 0, dialect).toBe(dialect !== 'strict')
    }
  })
})

describe('a single dialect', () => {
  it('0.49 reports its version, and proves a write by the members of its response', async () => {
    const { ask } = await startHostWithDialect('0.49')
    expect((await ask('status.get')).json['bridgeApiVersion']).toBe('0.49')
    const created = await ask('decks.create', { body: { title: 'D', confirm: true } })
    expect(created.json).toMatchObject({ isDeck: true, bridgeApiVersion: '0.49' })
    expect(created.json).not.toHaveProperty('persisted')
  })

  it('strict requires the prescribed prefix', async () => {
    const { ask, params } = await startHostWithDialect('strict')
    const request = { params: { noteid: params.noteid }, body: { text: 'T', confirm: true } }
    const refused = await ask('notes.title', request)
    expect([refused.status, refused.json.error?.details]).toEqual([
      422,
      { unknown: [], missing: ['expectedPrefix'], wrong: [] },
    ])
  })

  it('loose does not serve the listing under the usual name, even through the JSON-RPC channel', async () => {
    const { ask, send, params } = await startHostWithDialect('loose')
    const listing = await send('GET', `/study-sets/${params.topicid}/tree`)
    expect([listing.status, listing.json.error?.code]).toEqual([404, 'ROUTE_NOT_FOUND'])
    const call = { name: 'mn_call', arguments: { method: 'GET', path: `/study-sets/${params.topicid}/cards?limit=1` } }
    const { json } = await ask('mcp.post', { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call } })
    expect(JSON.stringify(json)).toContain('nodeTotal')
    const sets = (await ask('studySets.list')).json['items'] as { noteCount: unknown; lastModifiedAt: unknown }[]
    expect([typeof sets[0]?.noteCount, typeof sets[0]?.lastModifiedAt]).toEqual(['string', 'number'])
  })
})
