import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMemoryStore } from '../../../../electron/services/traffic/memory-store.ts'
import type { RawEntry } from '../../../../electron/services/traffic/entry.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { addAll, createBody, createEntry, openDiskStore, type OpenedStore } from '../../../support/services/traffic.ts'

const everything = { host: null, version: null, from: null, to: null }

const createDecks = (members: object, entry: Partial<RawEntry> = {}, row: Partial<RawEntry['row']> = {}): RawEntry =>
  createEntry({
    row: { endpoint: 'decks.list', path: '/decks', template: '/decks', ...row },
    response: createBody(JSON.stringify({ bridgeApiVersion: '0.91', ...members })),
    ...entry,
  })

function readStored({ database }: OpenedStore): unknown {
  return database.prepare('SELECT method, template, outcome, version, shape FROM learned_shapes ORDER BY shape').all()
}

const listMembers = ({ store }: OpenedStore): string[] =>
  store.contract.readLearned(everything, null).flatMap(({ response }) => Object.keys(response?.properties ?? {}))

describe('shapes learned from recorded exchanges', () => {
  it('outlive the program, and stay the same when everything is judged again', () => {
    const dir = createTempDir()
    const opened = openDiskStore(dir)
    addAll(opened, [createDecks({ a: 1 }), createDecks({ a: 'on' }), createDecks({ a: 'on', b: [{ kind: 'text' }] })])
    expect(listMembers(opened)).toEqual(['a', 'b', 'bridgeApiVersion'])
    const before = readStored(opened)
    opened.store.close()

    const reopened = openDiskStore(dir)
    expect(readStored(reopened)).toEqual(before)
    for (let part = reopened.store.contract.judgeAgain(0); !part.isWhole;)
      part = reopened.store.contract.judgeAgain(part.lastSeq)
    expect(readStored(reopened)).toEqual(before)
    addAll(reopened, [createDecks({ c: null })])
    expect(listMembers(reopened)).toEqual(['a', 'b', 'bridgeApiVersion', 'c'])
    reopened.store.clear()
    expect(readStored(reopened)).toEqual([])
    reopened.store.close()
  })

  it('come only from whole responses that the host itself gave', () => {
    const opened = openDiskStore(createTempDir())
    const cut = createBody('{"cut": tr')
    addAll(opened, [
      createDecks({ a: 1 }),
      createDecks({ overridden: 1 }, {}, { rule: 'my rule' }),
      createDecks({ failed: 1 }, {}, { state: 'failed' }),
      createDecks({}, { response: { ...cut, total: 100, missing: 'limit' } }),
      createDecks({}, { response: createBody('<html>', 'text/html') }),
    ])
    expect(listMembers(opened)).toEqual(['a', 'bridgeApiVersion'])
    opened.store.close()
  })

  it('fold the ids in the paths of routes that the contract does not have', () => {
    const opened = openDiskStore(createTempDir())
    const createOther = (id: string): RawEntry =>
      createDecks({ a: 1 }, {}, { endpoint: null, path: `/extras/${id}?q=1`, template: `/extras/${id}` })
    addAll(opened, [createOther('D2C0DD3B-1111-4111-8111-0123456789AB'), createOther('12'), createOther('13')])
    const { routes } = opened.store.contract.listLearned(everything)
    expect(routes.map(({ template, successes }) => [template, successes.count])).toEqual([['/extras/{}', 3]])
    opened.store.close()
  })

  it('have the values of the first entries of a long list, not those of one entry of each shape', () => {
    const opened = openDiskStore(createTempDir())
    const nodes = Array.from({ length: 2_000 }, (_, index) => ({
      ...{
        noteid: `N${index}`,
        parent: null,
        depth: index % 9,
        childCount: 0,
        title: index === 0 ? '12' : `Card ${index}`,
      },
      kind: ['note', 'picture'][index % 2],
    }))
    addAll(opened, [
      createEntry({
        row: { endpoint: 'studySets.tree', path: '/study-sets/T/tree', template: '/study-sets/{topicid}/tree' },
        response: createBody(JSON.stringify({ topicid: 'T', nodes, nextCursor: null })),
      }),
    ])
    const [route] = opened.store.contract.readLearned(everything, null)
    const text = JSON.stringify(route?.response?.properties?.['nodes'])
    expect(text).toContain('"isSampled":true')
    expect(text).toContain('"range":{"min":0,"max":8}')
    expect(text).toContain('"words":["note","picture"]')
    expect(text).not.toContain('"formats":["integer"]')
    opened.store.close()
  })

  it('stay as they are when a large listing is read again, whose pages are not even parsed', () => {
    const opened = openDiskStore(createTempDir())
    const { database, store } = opened
    const createPage = (page: number): RawEntry => {
      const nodes = Array.from({ length: 1_000 }, (_, index) => ({
        noteid: `N${page}-${index}`,
        parent: null,
        title: `Card ${index} on page ${page}, as long as a title may be`,
      }))
      const body = { topicid: 'T', nodes, nextCursor: page < 2 ? String(page + 1) : null }
      return createEntry({
        row: {
          endpoint: 'studySets.tree',
          path: `/study-sets/T/tree?limit=1000${page > 0 ? `&cursor=${page}` : ''}`,
          template: '/study-sets/{topicid}/tree',
        },
        response: createBody(JSON.stringify(body)),
      })
    }
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    const countParsedPages = (): number => {
      const pages = parse.mock.calls.filter(([text]) => text.startsWith('{"topicid"'))
      parse.mockClear()
      return pages.length
    }
    const readStore = (): unknown => ({
      learned: store.contract.listLearned(everything),
      schema: store.contract.readLearned(everything, null),
      shapes: readStored(opened),
      bodies: database.prepare('SELECT id, hash FROM bodies').all(),
    })
    const pages = [0, 1, 2]
    addAll(opened, pages.map(createPage))
    const first = readStore()
    expect(countParsedPages()).toBeGreaterThan(0)
    addAll(opened, pages.map(createPage))
    expect(readStore()).toEqual(first)
    expect(countParsedPages()).toBe(0)
    expect(store.contract.list().judgedExchanges).toBe(2 * pages.length)
    addAll(opened, [createPage(2), createPage(3)])
    expect(store.contract.list().judgedExchanges).toBe(2 * pages.length + 2)
    expect(countParsedPages()).toBeGreaterThan(0)
    store.close()
  })

  it('are kept in memory where there is no database', async () => {
    const store = createMemoryStore({ reason: 'TRAFFIC_NO_DATABASE', onChange: () => undefined })
    store.add(createDecks({ a: 1 }))
    const { routes, versions } = await store.listLearned(everything)
    expect(routes.map(({ template }) => template)).toEqual(['/decks'])
    expect(versions).toEqual(['0.91'])
  })
})
