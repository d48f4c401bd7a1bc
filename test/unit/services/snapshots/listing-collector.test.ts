import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ListingCollector, type ObservedPage } from '../../../../electron/services/snapshots/listing-collector.ts'

const toPage = (facts: Partial<ObservedPage>, body: unknown): ObservedPage => ({
  topicid: 'topic',
  host: 'http://127.0.0.1:1/bridge/v1',
  instance: 'run-1',
  origin: { kind: 'panel', label: 'A', caller: 'panel-1' },
  root: '',
  sort: '',
  cursor: null,
  startedAt: 10,
  endedAt: 20,
  bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  ...facts,
})

const toBody = (ids: readonly string[], nextCursor: string | null = null, facts: object = {}): object => ({
  nodes: ids.map((noteid) => ({ noteid, parent: null })),
  nodeTotal: 4,
  nextCursor,
  truncated: nextCursor !== null,
  ...facts,
})

test('puts the pages of each caller together, also if they arrive out of order', () => {
  const collector = new ListingCollector()
  const other = { origin: { kind: 'recorded' as const, label: 'B' } }
  expect(collector.observePage(toPage({}, toBody(['a'], '1')))).toBeNull()
  expect(collector.observePage(toPage(other, toBody(['x'], '1')))).toBeNull()
  expect(collector.observePage(toPage({ cursor: '2', endedAt: 50 }, toBody(['d'])))).toBeNull()
  expect(collector.observePage(toPage({ cursor: '9' }, toBody(['nowhere'])))).toBeNull()
  const listing = collector.observePage(toPage({ cursor: '1', endedAt: 40 }, toBody(['b', 'c'], '2')))
  expect(listing).toMatchObject({ startedAt: 10, endedAt: 50, pages: 3, hostCount: 4, gaps: [], isInTreeOrder: true })
  expect(listing?.forest.ids).toEqual(['a', 'b', 'c', 'd'])
})

test('says what a listing does not cover', () => {
  const read = (facts: Partial<ObservedPage>, body: object) =>
    new ListingCollector().observePage(toPage(facts, body))?.gaps
  const all = ['a', 'b', 'c', 'd']
  expect(read({}, toBody(all))).toEqual([])
  expect(read({ root: 'a' }, toBody(all))).toEqual(['subMap'])
  // The host counts the whole tree, also if it lists one sub-map.
  expect(read({ root: 'a' }, toBody(['a', 'b']))).toEqual(['subMap'])
  expect(read({}, toBody(['a'], null, { walkLimitReached: true, truncated: true }))).toEqual(['walkLimit'])
  expect(read({}, toBody(['a', 'a', 'b', 'c']))).toEqual(['fewer'])
  expect(read({}, toBody(all, null, { truncated: true }))).toEqual(['fewer'])
  expect(read({}, { nodes: [{ noteid: 'a' }, { title: 'no id' }] })).toEqual(['unreadable'])
})

test('a root whose parent is the study set is no orphan', () => {
  const nodes = [
    { noteid: 'a', parent: 'topic' },
    { noteid: 'b', parent: 'a' },
  ]
  const listing = new ListingCollector().observePage(toPage({}, { nodes, nodeTotal: 2, nextCursor: null }))
  expect(listing?.forest.anomalies).toEqual({ duplicates: 0, orphans: 0, circles: 0 })
})

test('notices a restart of the host, and another number of cards, between two pages', () => {
  const collector = new ListingCollector()
  collector.observePage(toPage({}, toBody(['a', 'b'], '1')))
  const second = toPage({ cursor: '1', instance: 'run-2' }, toBody(['c', 'd', 'e'], null, { nodeTotal: 5 }))
  expect(collector.observePage(second)?.gaps).toEqual(['restarted', 'changed'])
})

test('keeps what was read of a listing that is cancelled', () => {
  const collector = new ListingCollector()
  collector.observePage(toPage({}, toBody(['a', 'b'], '1')))
  expect(collector.end('panel-2', 'cancelled')).toBeNull()
  expect(collector.end('panel-1', 'cancelled')).toMatchObject({ gaps: ['cancelled'], forest: { count: 2 } })
  expect(collector.end('panel-1', 'cancelled')).toBeNull()
})

test('ignores what is no page of a card listing', () => {
  const collector = new ListingCollector()
  for (const body of ['', 'null', '[]', '{"nodes":{}}', '{"nodes":']) {
    expect(collector.observePage(toPage({}, body))).toBeNull()
    expect(collector.end('panel-1', 'cancelled')).toBeNull()
  }
  expect(collector.observePage(toPage({ cursor: 'of a listing that nobody saw' }, toBody(['a'])))).toBeNull()
})

describe('a listing whose pages equal those of the one before', () => {
  const pages = [toBody(['a', 'b'], '1'), toBody(['c', 'd'])]
  const readAll = (collector: ListingCollector, bodies: readonly object[], facts: Partial<ObservedPage> = {}) =>
    bodies.map((body, index) =>
      collector.observePage(toPage({ cursor: index === 0 ? null : String(index), ...facts }, body)),
    )
  const countParsedPages = () => {
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    return () => parse.mock.calls.filter(([text]) => text.startsWith('{"nodes"')).length
  }

  test('is not parsed again, also for another caller, until its cards are read', () => {
    const collector = new ListingCollector()
    const first = readAll(collector, pages).at(-1)
    const getCount = countParsedPages()
    const origin = { kind: 'place', label: null } as const
    const repeated = readAll(collector, pages, { startedAt: 100, endedAt: 200, origin, instance: 'run-2' }).at(-1)
    expect(getCount()).toBe(0)
    expect(repeated).toMatchObject({
      startedAt: 100,
      endedAt: 200,
      origin,
      instance: 'run-2',
      hash: first?.hash,
      pages: 2,
    })
    expect(repeated).toMatchObject({ gaps: [], hostCount: 4, members: first?.members })
    expect(repeated?.forest).toEqual(first?.forest)
    expect(repeated?.forest.ids).toEqual(['a', 'b', 'c', 'd'])
    expect(getCount()).toBe(2)
  })

  test('is read as a whole from the first page that differs, and when it is given up', () => {
    const collector = new ListingCollector()
    readAll(collector, pages)
    const changed = readAll(collector, [pages[0] ?? {}, toBody(['c', 'e'])]).at(-1)
    expect(changed?.forest.ids).toEqual(['a', 'b', 'c', 'e'])
    collector.observePage(toPage({}, pages[0]))
    expect(collector.end('panel-1', 'cancelled')?.forest.ids).toEqual(['a', 'b'])
  })

  test('is another one for another host, sub-map or order, and after a restart between two pages', () => {
    const collector = new ListingCollector()
    readAll(collector, pages)
    const getCount = countParsedPages()
    for (const facts of [{ host: 'http://127.0.0.1:2' }, { root: 'a' }, { sort: 'title' }]) {
      readAll(collector, pages, facts)
    }
    expect(getCount()).toBe(6)
    collector.observePage(toPage({}, pages[0]))
    expect(collector.observePage(toPage({ cursor: '1', instance: 'run-2' }, pages[1]))?.gaps).toEqual(['restarted'])
  })

  test('is parsed at once where its cards are asked for', () => {
    const collector = new ListingCollector()
    readAll(collector, pages)
    const getCount = countParsedPages()
    collector.observePage(toPage({}, pages[0]), true)
    expect(getCount()).toBe(1)
  })
})

test('finds the ids of cards on the first page, under whatever name, and keeps them out of the contents', () => {
  const collector = new ListingCollector()
  const first = {
    nodes: [
      { heading: 'Root', ref: 'r' },
      { heading: 'Card', ref: 'a', parent: 'r' },
    ],
    nextCursor: '1',
  }
  collector.observePage(toPage({}, first))
  // No node of this page refers to another one of it.
  const last = { nodes: [{ heading: 'Leaf', ref: 'b', parent: 'a' }], nextCursor: null }
  const listing = collector.observePage(toPage({ cursor: '1' }, last))
  expect(listing).toMatchObject({ gaps: [], members: ['heading'] })
  expect([listing?.forest.ids, listing?.forest.parentIds]).toEqual([
    ['r', 'a', 'b'],
    ['', 'r', 'a'],
  ])
})
