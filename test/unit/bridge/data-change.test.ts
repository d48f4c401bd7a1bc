import { describe, expect, it } from 'vitest'
import {
  collectDataFacts,
  collectIds,
  DataFactHistory,
  findChangedFact,
  judgeChangeImpact,
  NO_IDS_BY_KIND,
  type DataChange,
} from '../../../shared/bridge/data-change.ts'
import { getEndpointById } from '../../../shared/bridge/endpoints/index.ts'

/** Creates the data change that a write to this row causes, with these ids. */
function createChange(endpoint: string, ids: Partial<DataChange['ids']> = {}, isCertain = true): DataChange {
  const { dataKinds: concerns } = getEndpointById(endpoint)
  return {
    at: 1,
    cause: { exchangeId: 'x', origin: { kind: 'panel', label: 'P' }, endpoint, method: 'POST', path: '/x' },
    fact: null,
    matters: concerns && [...concerns],
    ids: { ...NO_IDS_BY_KIND, ...ids },
    isCertain,
  }
}
const cardView = (noteid: string) => ({ endpoint: 'notes.batchGet', body: { noteIds: [noteid] } })
const setView = (endpoint: string, topicid: string) => ({ endpoint, params: { topicid } })

describe('judgeTouch', () => {
  const band = createChange('notes.blankBands', { cards: ['N-1'] })

  it.each([
    ['the card itself, whatever the letter case of its id', cardView('n-1'), 'yes'],
    ['another card', cardView('N-2'), 'no'],
    ['the library, for its date', { endpoint: 'studySets.list' }, 'yes'],
    ['hashtags', setView('studySets.hashtags', 'T-1'), 'yes'],
    ['search results', { endpoint: 'search.get', query: { q: 'x' } }, 'yes'],
    ['the bundles', { endpoint: 'bundles.list' }, 'no'],
    ['the colors', setView('studySets.palette', 'T-1'), 'no'],
    ['the routes of the host', { endpoint: 'capabilities.get' }, 'no'],
    ['a route that only the host lists', { endpoint: 'listed GET /plugin/x' }, 'maybe'],
  ] as const)('decides whether a new band changes %s', (_, view, touch) => {
    expect(judgeChangeImpact(band, view)).toBe(touch)
  })

  it('rules out another study set by its id, and nothing for a study set without an id', () => {
    const verdict = createChange('notes.practiceVerdict', { cards: ['N-1'], sets: ['T-1'] })
    expect(judgeChangeImpact(verdict, setView('studySets.tree', 'T-1'))).toBe('yes')
    expect(judgeChangeImpact(verdict, setView('studySets.tree', 'T-2'))).toBe('no')
    expect(judgeChangeImpact(band, setView('studySets.tree', 'T-2'))).toBe('yes')
  })

  it('touches unnamed cards if the hierarchy of cards changes', () => {
    expect(judgeChangeImpact(createChange('notes.mergeBranch', { cards: ['N-1'] }), cardView('N-2'))).toBe('yes')
  })

  it('touches the rendering of a card that shows other cards', () => {
    const view = { endpoint: 'notes.render', params: { noteid: 'N-2' } }
    expect(judgeChangeImpact(createChange('notes.title', { cards: ['N-1'] }), view)).toBe('yes')
  })

  it('is uncertain if the outcome of the write or the effect of its route is unknown', () => {
    expect(judgeChangeImpact(createChange('notes.title', { cards: ['N-1'] }, false), cardView('N-1'))).toBe('maybe')
    const unknown = createChange('mcp.post', { cards: ['N-1'] })
    expect(judgeChangeImpact(unknown, cardView('N-2'))).toBe('maybe')
    expect(judgeChangeImpact(unknown, { endpoint: 'bundles.list' })).toBe('maybe')
    expect(judgeChangeImpact(unknown, { endpoint: 'status.get' })).toBe('no')
  })
})

describe('collectIds', () => {
  it('finds ids in the path, the query and the body', () => {
    const body = { moves: [{ noteIds: ['A', 'B'], targetParentNoteId: 'C' }], practice: { topic: 'T', card: 'D' } }
    const ids = collectIds({ bookmd5: 'M' }, { studySet: 'U' }, body)
    expect(ids.cards.sort()).toEqual(['A', 'B', 'C', 'D'])
    expect([ids.sets.sort(), ids.documents, ids.bundles]).toEqual([['T', 'U'], ['M'], []])
  })

  it('ignores ids if there are too many to list', () => {
    const noteIds = Array.from({ length: 501 }, (_, index) => `N-${index}`)
    expect(collectIds(JSON.parse('{"constructor":"x","__proto__":"y","toString":["z"]}'))).toEqual(NO_IDS_BY_KIND)
    expect(collectIds({ noteIds }).cards).toEqual([])
    expect(
      collectIds(
        Array.from({ length: 30_000 }, () => ({})),
        { noteid: 'N' },
      ).cards,
    ).toEqual([])
  })
})

describe('data facts in a response', () => {
  const status = {
    appVersion: '4.9',
    uptime: 7,
    routeCount: 90,
    apiRevision: 'r1',
    library: { lastModifiedAt: '2026-01-01', noteCount: 12, size: 3 },
    dataRevision: 41,
  }

  it('include dates, revisions and counts of data, and nothing about the host', () => {
    expect(collectDataFacts(status)).toEqual({
      '/library/lastModifiedAt': '2026-01-01',
      '/library/noteCount': '12',
      '/dataRevision': '41',
    })
  })

  it('report a changed value, and no added or removed fact', () => {
    const before = collectDataFacts(status)
    expect(findChangedFact(before, { ...before, '/dataRevision': '42' })).toEqual({
      name: '/dataRevision',
      from: '41',
      to: '42',
    })
    expect(findChangedFact(before, { '/other': '1' })).toBeNull()
  })

  it('are ignored as a clock or a counter if they differ in every response', () => {
    const history = new DataFactHistory()
    const updateHistory = (clock: number, revision: number): string | undefined =>
      history.update({ '/updatedAt': String(clock), '/revision': String(revision) })?.name
    expect([1, 2, 3, 4].map((clock) => updateHistory(clock, 1))).toEqual([
      undefined,
      '/updatedAt',
      '/updatedAt',
      undefined,
    ])
    expect([updateHistory(5, 2), updateHistory(6, 2), updateHistory(6, 2), updateHistory(7, 2)]).toEqual([
      '/revision',
      undefined,
      undefined,
      '/updatedAt',
    ])
  })
})
