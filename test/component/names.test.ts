import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { effectScope, nextTick, ref, type EffectScope } from 'vue'
import { useConnection } from '../../renderer/stores/connection.ts'
import { readEndpoint } from '../../renderer/stores/host-read.ts'
import { useNames, useNameStore, type IdReference } from '../../renderer/stores/names.ts'
import { NO_IDS_BY_KIND, type DataChange } from '../../shared/bridge/data-change.ts'
import { AppError } from '../../shared/errors.ts'
import { installFakeServiceProcess } from '../support/vue/mounting.ts'
import { createConnectionState } from '../support/vue/states.ts'

let scope: EffectScope
beforeEach(() => {
  setActivePinia(createPinia())
  scope = effectScope()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

interface HostRead {
  readonly endpoint: string
  readonly ids: readonly string[]
  readonly id: string
  respond(value: unknown): Promise<void>
  fail(error?: AppError): Promise<void>
}

const settle = async (): Promise<void> => {
  for (let round = 0; round < 6; round += 1) await vi.advanceTimersByTimeAsync(100)
}
const failure = new AppError({ kind: 'host', code: 'BROKEN', message: 'broken', retryable: false, status: 500 })

/** A host whose responses the test sends; reads of the capabilities are answered at once. */
function createHost(routes: unknown = undefined) {
  const reads: HostRead[] = []
  const door = installFakeServiceProcess({
    'bridge.read': (input, { id }) => {
      const { endpoint, body, params } = input as {
        endpoint: string
        body?: { noteIds: string[] }
        params?: Record<string, string>
      }
      const reply = (value: unknown) => ({
        meta: {
          ...{
            exchangeId: 'e',
            endpoint,
            method: 'GET',
            path: `/${endpoint}`,
            status: 200,
            headers: {},
            durationMs: 1,
          },
          ...{ contentType: 'application/json', receivedAt: Date.now(), epoch: 1, byteLength: 9 },
        },
        bytes: new TextEncoder().encode(JSON.stringify(value)).buffer,
      })
      if (endpoint === 'capabilities.get') return reply({ routes })
      return new Promise((resolve, reject) => {
        reads.push({
          ...{ endpoint, id, ids: body?.noteIds ?? Object.values(params ?? {}) },
          async respond(value) {
            resolve(reply(value))
            await settle()
          },
          async fail(error = failure) {
            reject(error)
            await settle()
          },
        })
      })
    },
  })
  useConnection().state = createConnectionState()
  return { reads, ...door }
}

const card = (id: string): IdReference => ({ id, kind: 'card' })
const cards = (ids: readonly string[], name = (id: string): unknown => `Card ${id}`) => ({
  items: ids.map((noteid) => ({ noteid, title: name(noteid) })),
})
/** Shows these objects until the returned function is called. */
function show(references: readonly IdReference[]): { getName: (id: string) => string | null; hide: () => void } {
  const rows = scope.run(() => effectScope()) as EffectScope
  const getName = rows.run(() => useNames(() => references)) as (id: string) => string | null
  return { getName, hide: () => rows.stop() }
}
const change = (matters: DataChange['matters'], ids: Partial<DataChange['ids']> = {}): DataChange => ({
  at: Date.now(),
  cause: {
    exchangeId: 'x',
    origin: { kind: 'write', label: null },
    endpoint: 'notes.title',
    method: 'POST',
    path: '/',
  },
  fact: null,
  matters,
  ids: { ...NO_IDS_BY_KIND, ...ids },
  isCertain: true,
})

describe('names of ids', () => {
  test('the ids of all visible rows are asked for in one request', async () => {
    const { reads } = createHost()
    const first = show([card('A')])
    const second = show([card('B'), card('A'), { id: 'R', kind: 'request' }, { id: 'X', kind: null }])
    await settle()
    expect(reads.map(({ endpoint, ids }) => [endpoint, ids])).toEqual([['notes.batchGet', ['A', 'B']]])
    expect(first.getName('A')).toBeNull()
    await reads[0]?.respond(cards(['a', 'B']))
    // Hosts may write the same id in another case.
    expect([first.getName('A'), second.getName('B'), second.getName('R')]).toEqual(['Card a', 'Card B', null])
  })

  test('at most two requests are pending', async () => {
    const { reads } = createHost()
    show(Array.from({ length: 500 }, (_, index) => card(`N${index}`)))
    await settle()
    expect(reads.map(({ ids }) => ids.length)).toEqual([200, 200])
    await reads[0]?.respond(cards(reads[0].ids))
    expect(reads.map(({ ids }) => ids.length)).toEqual([200, 200, 100])
  })

  test('rows that are scrolled past are not asked for, and a request for them is cancelled', async () => {
    const { reads, cancelled } = createHost()
    show([card('PASSED')]).hide()
    await settle()
    expect(reads).toEqual([])
    const rows = show([card('A')])
    await settle()
    rows.hide()
    await settle()
    expect(cancelled).toEqual([reads[0]?.id])
  })

  test('an id is asked for once, whether the host has a name for it or not', async () => {
    const { reads } = createHost()
    const rows = show([card('A'), card('GONE')])
    await settle()
    await reads[0]?.respond(cards(['A']))
    rows.hide()
    const shownAgain = show([card('A'), card('GONE')])
    await settle()
    expect(reads.length).toBe(1)
    expect([shownAgain.getName('A'), shownAgain.getName('GONE')]).toEqual(['Card A', null])
  })

  test('a name that a response has contained is not asked for', async () => {
    const { reads } = createHost()
    useNameStore()
    const reading = readEndpoint('studySets.list')
    await settle()
    await reads[0]?.respond({ studySets: [{ topicid: 'S', title: 'Anatomy' }] })
    await reading
    const rows = show([{ id: 'S', kind: 'studySet' }])
    await settle()
    expect([reads.length, rows.getName('S')]).toEqual([1, 'Anatomy'])
  })

  test('study sets and decks are looked up in their lists, which are read once', async () => {
    const { reads } = createHost()
    const rows = show([
      { id: 'S', kind: 'studySet' },
      { id: 'D', kind: 'deck' },
    ])
    await settle()
    await reads[0]?.respond({ studySets: [{ topicid: 'S', title: 'Anatomy' }] })
    await reads[1]?.respond({ decks: [{ deckId: 'D', title: 'Bones' }] })
    const unknown = show([{ id: 'GONE', kind: 'deck' }])
    await settle()
    expect(reads.map(({ endpoint }) => endpoint)).toEqual(['studySets.list', 'decks.list'])
    expect([rows.getName('S'), rows.getName('D'), unknown.getName('GONE')]).toEqual(['Anatomy', 'Bones', null])
  })

  test('a document is asked for by its shortest response, and a second one after the first', async () => {
    const { reads } = createHost()
    const rows = show([
      { id: 'md5a', kind: 'document' },
      { id: 'md5b', kind: 'document' },
    ])
    await settle()
    expect(reads.map(({ endpoint, ids }) => [endpoint, ids])).toEqual([['documents.excerpts', ['md5a']]])
    await reads[0]?.respond({ bookmd5: 'md5a', title: 'Atlas.pdf', items: [] })
    await reads[1]?.respond({ title: 'Without its id.pdf', items: [] })
    expect([rows.getName('md5a'), rows.getName('md5b')]).toEqual(['Atlas.pdf', 'Without its id.pdf'])
  })

  test('nothing is asked while there is no connection, and another host gets its own names', async () => {
    const { reads } = createHost()
    const connection = useConnection()
    connection.state = createConnectionState({ phase: 'offline' })
    const rows = show([card('A')])
    await settle()
    expect(reads).toEqual([])
    connection.state = createConnectionState()
    await settle()
    await reads[0]?.respond(cards(['A']))
    expect(rows.getName('A')).toBe('Card A')
    const { profile } = createConnectionState()
    connection.state = createConnectionState({ profile: profile && { ...profile, id: 'p2' } })
    await nextTick()
    expect(rows.getName('A')).toBeNull()
    await settle()
    await reads[1]?.respond(cards(['A'], () => 'Of the other host'))
    expect(rows.getName('A')).toBe('Of the other host')
  })

  test('a host that fails is not asked again in this connection', async () => {
    const { reads } = createHost()
    const connection = useConnection()
    for (let index = 0; index < 5; index += 1) {
      show([card(`N${index}`)])
      await settle()
      await reads[index]?.fail()
    }
    expect(reads.length).toBe(3)
    connection.state = createConnectionState({ epoch: 2 })
    await nextTick()
    show([card('AGAIN')])
    await settle()
    expect(reads.length).toBe(4)
  })

  test('a host that does not list the route is not asked', async () => {
    const { reads } = createHost([{ method: 'GET', path: '/status' }])
    const rows = show([card('A')])
    await settle()
    expect([reads, rows.getName('A')]).toEqual([[], null])
  })

  test('a renamed card is asked for again, and a write that names cards renames no study set', async () => {
    const { reads, push } = createHost()
    const rows = show([card('A'), card('B'), { id: 'S', kind: 'studySet' }])
    await settle()
    await reads[0]?.respond(cards(['A', 'B']))
    await reads[1]?.respond({ studySets: [{ topicid: 'S', title: 'Anatomy' }] })
    await reads[2]?.respond({ decks: [] })
    const payload = { changes: [change(['cards', 'studySets'], { cards: ['a'] })] }
    push({ topic: 'bridge.dataChanged', payload })
    await settle()
    await vi.advanceTimersByTimeAsync(3_000)
    expect(reads.slice(3).map(({ endpoint, ids }) => [endpoint, ids])).toEqual([['notes.batchGet', ['A']]])
    // The old name stays until the new one is read.
    expect(rows.getName('A')).toBe('Card A')
    await reads[3]?.respond(cards(['A'], () => 'Renamed'))
    expect(rows.getName('A')).toBe('Renamed')
    push({ topic: 'bridge.dataChanged', payload: { changes: [change(['handwriting'], { cards: ['A'] })] } })
    await vi.advanceTimersByTimeAsync(3_000)
    expect(reads.length).toBe(4)
  })

  test.each([
    ['empty', '', null],
    ['only spaces', ' \n\t ', null],
    ['no text', 7, null],
    ['several lines', 'a\r\n b', 'a b'],
    ['control characters', 'a\u0000b', 'a⟨U+0000⟩b'],
    ['a change of direction', 'a\u202Eb', 'a⟨U+202E⟩b'],
    ['right to left', 'עברית', 'עברית'],
  ])('hostile names: %s', async (_, title, expected) => {
    const { reads } = createHost()
    const rows = show([card('A')])
    await settle()
    await reads[0]?.respond(cards(['A'], () => title))
    expect(rows.getName('A')).toBe(expected)
  })

  test('a very long name is cut, and never in the middle of a character', async () => {
    const { reads } = createHost()
    const rows = show([card('A')])
    await settle()
    await reads[0]?.respond(cards(['A'], () => `a${'😀'.repeat(100_000)}`))
    expect(rows.getName('A')).toMatch(/^a(?:😀){50,60}…$/u)
  })

  test('rows that change their objects release the earlier ones', async () => {
    const { reads } = createHost()
    const id = ref('A')
    scope.run(() => useNames(() => [card(id.value)]))
    id.value = 'B'
    await settle()
    expect(reads.map(({ ids }) => ids)).toEqual([['B']])
  })
})
