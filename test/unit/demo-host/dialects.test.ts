import fc from 'fast-check'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { dialects, type DialectName } from '../../../electron/demo-host/dialects/index.ts'
import type { Trait } from '../../../electron/demo-host/dialects/trait.ts'
import { compareCapabilities } from '../../../shared/bridge/capabilities.ts'
import { endpointById, endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { demo } from '../../support/demo.ts'

const names = Object.keys(dialects) as DialectName[]
const traits = [
  ...new Map(
    Object.values(dialects).flatMap((all: readonly Trait[]) => all.map((one) => [one.name, one] as const)),
  ).values(),
]

async function speaking(dialect: DialectName) {
  const host = await demo({ dialect, stepMs: 10 })
  onTestFinished(() => host.host.close())
  const [set] = host.host.state.library.sets
  if (!set) throw new Error('no study set')
  return {
    ...host,
    set,
    params: { topicid: set.topicid, bookmd5: set.documents[0] ?? '', noteid: set.cards[3]?.noteid ?? '' },
  }
}

type Case = readonly [trait: string, id: string, own: unknown, said: unknown]
const when = '2026-10-30T08:00:00.000Z'

/** What each trait makes of an answer. */
const table: readonly Case[] = [
  [
    'context-ids',
    'context.get',
    { selectedNotes: [{ noteid: 'N', title: 'T' }], focusedNote: null, documents: [{ bookmd5: 'B', focused: true }] },
    { selectedNotes: ['N'], focusedNote: null, documents: ['B'] },
  ],
  [
    'seconds',
    'studySets.list',
    { studySets: [{ lastModifiedAt: when, title: when }] },
    { studySets: [{ lastModifiedAt: 1_793_347_200, title: when }] },
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
    { routes: [{ method: 'GET', path: '/study-sets/{id}/tree' }, { path: '/decks' }] },
    {
      routes: [
        { method: 'GET', path: '/study-sets/{id}/cards', query: ['root', 'limit', 'cursor', 'sort', 'withNotes'] },
        { path: '/decks' },
      ],
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
]

describe('each trait of a dialect', () => {
  test.each(table)('%s: %s', (name, id, own, said) => {
    const trait = traits.find((one) => one.name === name)
    expect(trait?.on === null || trait?.on.some((on) => on === id) || trait?.requires !== undefined).toBe(true)
    expect(trait?.out(own, id)).toEqual(said)
  })

  it('is in the table, says what it changes, and names existing rows', () => {
    expect([...new Set(table.map(([name]) => name))].sort()).toEqual(traits.map(({ name }) => name).sort())
    for (const { what, on, paths, requires } of traits) {
      expect(what).toMatch(/\.$/)
      for (const id of [...(on ?? []), ...Object.keys({ ...paths, ...requires })])
        expect(endpointById(id), id).toBeDefined()
    }
  })

  it('ignores what it does not expect', () => {
    const value = fc.jsonValue()
    const id = fc.constantFrom(...endpoints.map((row) => row.id))
    fc.assert(
      fc.property(fc.constantFrom(...traits), id, value, (trait, endpointId, sent) => {
        const before = JSON.stringify(sent)
        expect(() => JSON.stringify(trait.out(sent, endpointId))).not.toThrow()
        expect(JSON.stringify(sent)).toBe(before)
      }),
    )
  })
})

describe.each(names)('a host that speaks %s', (dialect) => {
  it('keeps what is written, and lists its cards where its capabilities say', async () => {
    const { ask, send, params } = await speaking(dialect)
    const { json: capabilities } = await ask('capabilities.get')
    const routes = capabilities['routes'] as { method: string; path: string }[]
    const { pathOverrides, missing, unknown } = compareCapabilities({ routes })
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

describe('what only one dialect does', () => {
  it('0.49 says its version, and proves a write by its own members', async () => {
    const { ask } = await speaking('0.49')
    expect((await ask('status.get')).json['bridgeApiVersion']).toBe('0.49')
    const made = await ask('decks.create', { body: { title: 'D', confirm: true } })
    expect(made.json).toMatchObject({ isDeck: true, bridgeApiVersion: '0.49' })
    expect(made.json).not.toHaveProperty('persisted')
  })

  it('strict requires the prescribed prefix', async () => {
    const { ask, params } = await speaking('strict')
    const asked = { params: { noteid: params.noteid }, body: { text: 'T', confirm: true } }
    const refused = await ask('notes.title', asked)
    expect([refused.status, refused.json.error?.details]).toEqual([
      422,
      { unknown: [], missing: ['expectedPrefix'], wrong: [] },
    ])
  })

  it('loose does not serve the listing under the table’s name, not even through the JSON-RPC channel', async () => {
    const { ask, send, params } = await speaking('loose')
    const own = await send('GET', `/study-sets/${params.topicid}/tree`)
    expect([own.status, own.json.error?.code]).toEqual([404, 'ROUTE_NOT_FOUND'])
    const call = { name: 'mn_call', arguments: { method: 'GET', path: `/study-sets/${params.topicid}/cards?limit=1` } }
    const { json } = await ask('mcp.post', { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call } })
    expect(JSON.stringify(json)).toContain('nodeTotal')
    const sets = (await ask('studySets.list')).json['items'] as { noteCount: unknown; lastModifiedAt: unknown }[]
    expect([typeof sets[0]?.noteCount, typeof sets[0]?.lastModifiedAt]).toEqual(['string', 'number'])
  })
})
