import { describe, expect, it } from 'vitest'
import { listTypes } from '../../../../shared/contract/json-schema.ts'
import { listLearnedRoutes, readLearnedRoutes } from '../../../../electron/services/contract/learned-query.ts'
import { createMemoryArchive, LearnedRoutes } from '../../../../electron/services/contract/learned-routes.ts'
import type { ExchangeRow } from '../../../../shared/traffic/exchange.ts'

const everything = { host: null, version: null, from: null, to: null }
const host = 'http://127.0.0.1:4321'

const createRow = (more: Partial<ExchangeRow> = {}): ExchangeRow => ({
  ...{ seq: 1, id: 'exchange 1', startedAt: Date.UTC(2026, 10, 26, 12), durationMs: 1, method: 'GET', attempt: 1 },
  timing: { queued: null, connected: null, sent: null, firstByte: null, lastByte: null },
  ...{ path: '/decks', endpoint: 'decks.list', template: '/decks', origin: { kind: 'place', label: null } },
  ...{ state: 'answered', status: 200, errorCode: null, group: 'exchange 1', epoch: 1, instance: null, host },
  ...{ requestBytes: 0, wireBytes: null, bytes: 0, mediaType: 'application/json', pinned: false, rule: null },
  ...more,
})

describe('learned routes', () => {
  it('keep success and error apart, and say of how many responses', () => {
    const archive = createMemoryArchive()
    const learned = new LearnedRoutes(archive)
    learned.observe(createRow({ id: 'a' }), { decks: [] }, '0.91')
    learned.observe(createRow({ id: 'b' }), { decks: [{ deckId: 'x' }] }, '0.91')
    learned.observe(createRow({ id: 'c', status: 404 }), { error: { code: 'NOT_FOUND' } }, '0.91')
    learned.observe(createRow({ id: 'd' }), { error: { code: 'BUSY' } }, '0.91')
    learned.observe(createRow({ id: 'e', status: 304 }), {}, '0.91')
    learned.save()
    expect(listLearnedRoutes(archive, everything)).toEqual({
      routes: [
        {
          ...{ method: 'GET', template: '/decks', endpoint: 'decks.list' },
          ...{ successes: { count: 2, isExact: true }, errors: { count: 2, isExact: true } },
        },
      ],
      ...{ hosts: [host], versions: ['0.91'] },
      days: { first: expect.stringMatching(/^2026-11-2\d$/), last: expect.any(String) },
    })
    const [route] = readLearnedRoutes(archive, everything, { method: 'GET', template: '/decks' })
    expect(listTypes(route?.response ?? {})).toHaveLength(1)
    expect(listTypes(route?.error ?? {})).toHaveLength(1)
  })

  it('change nothing when the same responses are learned again', () => {
    const archive = createMemoryArchive()
    const learn = (): void => {
      const learned = new LearnedRoutes(archive)
      for (let index = 0; index < 50; index += 1) {
        learned.observe(createRow({ id: `exchange ${index}` }), { mode: index % 7 === 0 ? `once${index}` : 'a' }, null)
        if (index === 20) learned.save()
      }
      learned.save()
    }
    learn()
    const [before] = [...archive.listKeys()].map((key) => archive.read(key))
    learn()
    expect([...archive.listKeys()].map((key) => archive.read(key))).toEqual([before])
  })

  it('are chosen by host, version and day', () => {
    const archive = createMemoryArchive()
    const learned = new LearnedRoutes(archive)
    const day = 24 * 60 * 60 * 1_000
    const start = Date.UTC(2026, 10, 20, 12)
    learned.observe(createRow({ id: 'a', startedAt: start }), { a: 1 }, '0.90')
    learned.observe(createRow({ id: 'b', startedAt: start + 3 * day }), { b: 1 }, '0.91')
    learned.observe(createRow({ id: 'c', startedAt: start + 3 * day, host: 'http://other' }), { c: 1 }, null)
    learned.save()
    const listMembers = (filter: object): unknown[] =>
      readLearnedRoutes(archive, { ...everything, ...filter }, null).flatMap(({ response }) =>
        Object.keys(response?.properties ?? {}),
      )
    expect(listMembers({})).toEqual(['a', 'b', 'c'])
    expect(listMembers({ version: '0.90' })).toEqual(['a'])
    expect(listMembers({ host: 'http://other' })).toEqual(['c'])
    expect(listMembers({ from: '2026-11-22' })).toEqual(['b', 'c'])
    expect(listMembers({ to: '2026-11-22' })).toEqual(['a'])
    expect(listLearnedRoutes(archive, { ...everything, version: '0.90' }).versions).toEqual(['0.90', '0.91'])
  })

  it('stay as they are if they cannot be read', () => {
    const archive = createMemoryArchive()
    const learnOne = (): void => {
      const learned = new LearnedRoutes(archive)
      learned.observe(createRow(), { a: 1 }, null)
      learned.save()
    }
    learnOne()
    const keys = [...archive.listKeys()]
    archive.update(keys, () => ({ shape: 'of a newer version', hashes: [1] }))
    learnOne()
    expect(keys.map((key) => archive.read(key))).toEqual(['of a newer version'])
  })

  it('hold a bounded part of what a hostile host sends', () => {
    const archive = createMemoryArchive()
    const learned = new LearnedRoutes(archive)
    const names = Array.from({ length: 120 }, (_, index) => `member${String.fromCharCode(97 + (index % 26))}${index}`)
    const inner = Object.fromEntries(names.map((name) => [name, { a: 'x', b: [1], d: { e: null } }]))
    learned.observe(createRow(), Object.fromEntries(names.map((name) => [name, inner])), null)
    learned.save()
    const [text] = [...archive.listKeys()].map((key) => archive.read(key))
    expect(text?.length).toBeLessThan(1_000)
  })
})
