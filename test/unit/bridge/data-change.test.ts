import { describe, expect, it } from 'vitest'
import {
  collectDataFacts,
  collectIds,
  DataFactHistory,
  findChangedFact,
  judgeChangeImpact,
  NO_IDS,
  type DataChange,
} from '../../../shared/bridge/data-change.ts'
import { getEndpointById } from '../../../shared/bridge/endpoints/index.ts'

/** What a write of this row changes, with these ids. */
function change(endpoint: string, ids: Partial<DataChange['ids']> = {}, isCertain = true): DataChange {
  const { dataKinds: concerns } = getEndpointById(endpoint)
  return {
    at: 1,
    cause: { exchangeId: 'x', origin: { kind: 'panel', label: 'P' }, endpoint, method: 'POST', path: '/x' },
    fact: null,
    matters: concerns && [...concerns],
    ids: { ...NO_IDS, ...ids },
    isCertain,
  }
}
const card = (noteid: string) => ({ endpoint: 'notes.batchGet', body: { noteIds: [noteid] } })
const ofSet = (endpoint: string, topicid: string) => ({ endpoint, params: { topicid } })

describe('a change touches what may show something else after it', () => {
  const band = change('notes.blankBands', { cards: ['N-1'] })

  it.each([
    ['the card itself, whatever the letter case of its id', card('n-1'), 'yes'],
    ['another card', card('N-2'), 'no'],
    ['the library, for its date', { endpoint: 'studySets.list' }, 'yes'],
    ['hashtags', ofSet('studySets.hashtags', 'T-1'), 'yes'],
    ['search results', { endpoint: 'search.get', query: { q: 'x' } }, 'yes'],
    ['the bundles', { endpoint: 'bundles.list' }, 'no'],
    ['the colors', ofSet('studySets.palette', 'T-1'), 'no'],
    ['the routes of the host', { endpoint: 'capabilities.get' }, 'no'],
    ['a route that only the host lists', { endpoint: 'listed GET /plugin/x' }, 'maybe'],
  ] as const)('a new band: %s', (_, shown, touch) => {
    expect(judgeChangeImpact(band, shown)).toBe(touch)
  })

  it('of another study set is ruled out by its id, of an unnamed one by nothing', () => {
    const verdict = change('notes.practiceVerdict', { cards: ['N-1'], sets: ['T-1'] })
    expect(judgeChangeImpact(verdict, ofSet('studySets.tree', 'T-1'))).toBe('yes')
    expect(judgeChangeImpact(verdict, ofSet('studySets.tree', 'T-2'))).toBe('no')
    expect(judgeChangeImpact(band, ofSet('studySets.tree', 'T-2'))).toBe('yes')
  })

  it('of how cards hang together touches cards that it does not name', () => {
    expect(judgeChangeImpact(change('notes.mergeBranch', { cards: ['N-1'] }), card('N-2'))).toBe('yes')
  })

  it('touches the rendering of a card that shows others', () => {
    const shown = { endpoint: 'notes.render', params: { noteid: 'N-2' } }
    expect(judgeChangeImpact(change('notes.title', { cards: ['N-1'] }), shown)).toBe('yes')
  })

  it('may have happened if its end is not known, and touches anything if nobody knows what its route does', () => {
    expect(judgeChangeImpact(change('notes.title', { cards: ['N-1'] }, false), card('N-1'))).toBe('maybe')
    const unknown = change('mcp.post', { cards: ['N-1'] })
    expect(judgeChangeImpact(unknown, card('N-2'))).toBe('maybe')
    expect(judgeChangeImpact(unknown, { endpoint: 'bundles.list' })).toBe('maybe')
    expect(judgeChangeImpact(unknown, { endpoint: 'status.get' })).toBe('no')
  })
})

describe('ids', () => {
  it('are found wherever a request has them', () => {
    const body = { moves: [{ noteIds: ['A', 'B'], targetParentNoteId: 'C' }], practice: { topic: 'T', card: 'D' } }
    const found = collectIds({ bookmd5: 'M' }, { studySet: 'U' }, body)
    expect(found.cards.sort()).toEqual(['A', 'B', 'C', 'D'])
    expect([found.sets.sort(), found.documents, found.bundles]).toEqual([['T', 'U'], ['M'], []])
  })

  it('that are too many to list limit nothing', () => {
    const noteIds = Array.from({ length: 501 }, (_, index) => `N-${index}`)
    expect(collectIds(JSON.parse('{"constructor":"x","__proto__":"y","toString":["z"]}'))).toEqual(NO_IDS)
    expect(collectIds({ noteIds }).cards).toEqual([])
    expect(
      collectIds(
        Array.from({ length: 30_000 }, () => ({})),
        { noteid: 'N' },
      ).cards,
    ).toEqual([])
  })
})

describe('facts about data in a response', () => {
  const status = {
    appVersion: '4.9',
    uptime: 7,
    routeCount: 90,
    apiRevision: 'r1',
    library: { lastModifiedAt: '2026-01-01', noteCount: 12, size: 3 },
    dataRevision: 41,
  }

  it('are dates, revisions and counts of data, not of the host', () => {
    expect(collectDataFacts(status)).toEqual({
      '/library/lastModifiedAt': '2026-01-01',
      '/library/noteCount': '12',
      '/dataRevision': '41',
    })
  })

  it('say what has changed, and nothing of what is new or gone', () => {
    const before = collectDataFacts(status)
    expect(findChangedFact(before, { ...before, '/dataRevision': '42' })).toEqual({
      name: '/dataRevision',
      from: '41',
      to: '42',
    })
    expect(findChangedFact(before, { '/other': '1' })).toBeNull()
  })

  it('that differ in every response are a clock or a counter', () => {
    const history = new DataFactHistory()
    const changed = (clock: number, revision: number): string | undefined =>
      history.update({ '/updatedAt': String(clock), '/revision': String(revision) })?.name
    expect([1, 2, 3, 4].map((clock) => changed(clock, 1))).toEqual([undefined, '/updatedAt', '/updatedAt', undefined])
    expect([changed(5, 2), changed(6, 2), changed(6, 2), changed(7, 2)]).toEqual([
      '/revision',
      undefined,
      undefined,
      '/updatedAt',
    ])
  })
})
