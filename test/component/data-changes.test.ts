import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { defineComponent, effectScope, h, nextTick, ref, type EffectScope } from 'vue'
import type { FormValues } from '../../renderer/model/forms/command-draft.ts'
import { useWriteFace } from '../../renderer/panes/write/faces/index.ts'
import { useCard } from '../../renderer/stores/cards.ts'
import { useConnection } from '../../renderer/stores/connection.ts'
import { useContent } from '../../renderer/stores/content.ts'
import { useDataChanges } from '../../renderer/stores/data-changes.ts'
import { useFollowMode } from '../../renderer/stores/follow-mode.ts'
import { useLibrary } from '../../renderer/stores/library.ts'
import { useRead } from '../../renderer/stores/host-read.ts'
import { useResource } from '../../renderer/stores/resource.ts'
import { NO_IDS_BY_KIND, type DataChange } from '../../shared/bridge/data-change.ts'
import { getEndpointById } from '../../shared/bridge/endpoints/index.ts'
import { installFakeServiceProcess, mountComponent, type FakeServiceProcess } from '../support/vue/mounting.ts'
import { createConnectionState, createContentFacts } from '../support/vue/states.ts'

let scope: EffectScope
const inScope = <T>(build: () => T): T => scope.run(build) as T

beforeEach(() => {
  setActivePinia(createPinia())
  scope = effectScope()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
  setVisibility('visible')
})

function setVisibility(state: DocumentVisibilityState): void {
  Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))
}

const bytes = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer as ArrayBuffer

/**
 * A host whose answers are these texts, by the id of the row; `byteLength` says how large they
 * claim to be.
 */
function host(bodies: Readonly<Record<string, () => string>>, byteLength = 100): FakeServiceProcess {
  const door = installFakeServiceProcess({
    'bridge.read': (input) => {
      const { endpoint } = input as { endpoint: string }
      const meta = {
        ...{ exchangeId: 'e', endpoint, method: 'GET', path: `/${endpoint}`, status: 200, headers: {}, durationMs: 1 },
        ...{ contentType: 'application/json', receivedAt: Date.now(), epoch: 1, byteLength },
      }
      return { meta, bytes: bytes(bodies[endpoint]?.() ?? '{}') }
    },
    'content.open': () => ({ ...createContentFacts('h'), receivedAt: Date.now() }),
    'content.release': () => ({}),
  })
  useConnection().state = createConnectionState()
  useDataChanges()
  return door
}

function change(endpoint: string, ids: Partial<DataChange['ids']> = {}, more: Partial<DataChange> = {}): DataChange {
  const { dataKinds: concerns } = getEndpointById(endpoint)
  return {
    at: Date.now(),
    cause: { exchangeId: 'x', origin: { kind: 'panel', label: 'P' }, endpoint, method: 'POST', path: '/x' },
    fact: null,
    matters: concerns && [...concerns],
    ids: { ...NO_IDS_BY_KIND, ...ids },
    isCertain: true,
    ...more,
  }
}

const push = (door: FakeServiceProcess, ...changes: DataChange[]): void =>
  door.push({ topic: 'bridge.dataChanged', payload: { changes } })

const reads = ({ calls }: FakeServiceProcess, endpoint: string): unknown[] =>
  calls.filter(({ method, input }) => method === 'bridge.read' && (input as { endpoint: string }).endpoint === endpoint)

/** Lets timers run for this long, and what they start. */
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

const hashtags = () => inScope(() => useRead('studySets.hashtags', () => ({ params: { topicid: 'T-1' } })))

describe('a visible view of changed data', () => {
  test('is read again once for several changes, without a spinner', async () => {
    const door = host({})
    const resource = hashtags()
    await pass(10)
    push(door, change('notes.hashtags', { cards: ['N-1'] }), change('notes.hashtags', { cards: ['N-2'] }))
    push(door, change('notes.title', { cards: ['N-2'] }))
    await pass(1_000)
    expect(reads(door, 'studySets.hashtags')).toHaveLength(2)
    expect([resource.newestChange, resource.isSlow]).toEqual([null, false])
  })

  test('is not read again for changes that do not affect it', async () => {
    const door = host({})
    hashtags()
    await pass(10)
    push(door, change('notes.practiceVerdict', { sets: ['T-2'] }), change('bundles.prepare'))
    await pass(5_000)
    expect(reads(door, 'studySets.hashtags')).toHaveLength(1)
  })

  test('is read at most every two seconds, however many writes there are', async () => {
    const door = host({})
    hashtags()
    await pass(10)
    for (let round = 0; round < 100; round += 1) {
      push(door, change('notes.title', { cards: ['N-1'] }))
      await pass(100)
    }
    const count = reads(door, 'studySets.hashtags').length
    expect(count).toBeGreaterThan(3)
    expect(count).toBeLessThanOrEqual(7)
    await pass(3_000)
    // The last write is shown too.
    expect(reads(door, 'studySets.hashtags').length).toBe(count + 1)
  })

  test('shares a limit of four reads a second with other views', async () => {
    const door = host({})
    for (let view = 0; view < 12; view += 1) hashtags()
    await pass(10)
    push(door, change('notes.title', { cards: ['N-1'] }))
    await pass(1_100)
    expect(reads(door, 'studySets.hashtags').length - 12).toBeLessThanOrEqual(5)
    await pass(3_000)
    expect(reads(door, 'studySets.hashtags')).toHaveLength(24)
  })

  test('is read once more if something changed while it was being read', async () => {
    const resolvers: (() => void)[] = []
    const door = host({})
    const load = vi.fn(() => new Promise<string>((resolve) => resolvers.push(() => resolve('x'))))
    const createRequest = () => ({ endpoint: 'studySets.hashtags', params: { topicid: 'T-1' } })
    const resource = inScope(() => useResource(load, () => null, { getShownRead: createRequest }))
    void resource.reload()
    push(door, change('notes.title', { cards: ['N-1'] }))
    await pass(500)
    expect(load).toHaveBeenCalledTimes(1)
    resolvers[0]?.()
    await pass(500)
    expect(load).toHaveBeenCalledTimes(2)
    resolvers[1]?.()
    await pass(500)
    expect([load.mock.calls.length, resource.newestChange]).toEqual([2, null])
  })

  test('keeps its stale mark beside the error if it cannot be read again', async () => {
    let fails = false
    const door = host({
      'studySets.hashtags': () => {
        if (fails) throw new Error('gone')
        return '{}'
      },
    })
    const resource = hashtags()
    await pass(10)
    fails = true
    push(door, change('notes.title', { cards: ['N-1'] }))
    await pass(10_000)
    expect(reads(door, 'studySets.hashtags')).toHaveLength(2)
    expect([resource.status, resource.newestChange?.cause?.endpoint]).toEqual(['failed', 'notes.title'])
  })
})

describe('a view that is marked as stale instead of being read again', () => {
  test('is a large one', async () => {
    const door = host({}, 600_000)
    const resource = hashtags()
    await pass(10)
    push(door, change('notes.title', { cards: ['N-1'] }, { isCertain: false }))
    await pass(10_000)
    expect(reads(door, 'studySets.hashtags')).toHaveLength(1)
    expect(resource.newestChange?.isCertain).toBe(false)
    await Promise.all([resource.reload(), pass(10)])
    expect(resource.newestChange).toBeNull()
  })

  test('is any view while the page is hidden', async () => {
    const door = host({})
    const resource = hashtags()
    await pass(10)
    setVisibility('hidden')
    push(door, change('notes.title', { cards: ['N-1'] }))
    await pass(10_000)
    expect([reads(door, 'studySets.hashtags').length, resource.newestChange?.isCertain]).toEqual([1, true])
    setVisibility('visible')
    await pass(1_000)
    expect([reads(door, 'studySets.hashtags').length, resource.newestChange]).toEqual([2, null])
  })

  test('is a store that no view uses', async () => {
    const door = host({ 'studySets.list': () => '{"studySets":[]}' })
    const library = useLibrary()
    await pass(10)
    push(door, change('notes.blankBands', { cards: ['N-1'] }))
    await pass(10_000)
    expect([reads(door, 'studySets.list').length, library.studySets.newestChange?.isCertain]).toEqual([1, true])
    const leave = library.studySets.addViewer()
    await pass(1_000)
    expect([reads(door, 'studySets.list').length, library.studySets.newestChange]).toEqual([2, null])
    leave()
    push(door, change('notes.blankBands', { cards: ['N-1'] }))
    await pass(10_000)
    expect(reads(door, 'studySets.list')).toHaveLength(2)
  })

  test('is one whose route has no documented response', async () => {
    const door = host({})
    const load = vi.fn(() => Promise.resolve('x'))
    const resource = inScope(() =>
      useResource(load, () => null, { getShownRead: () => ({ endpoint: 'listed GET /plugin/x' }) }),
    )
    await resource.reload()
    push(door, change('notes.title'))
    await pass(10_000)
    expect([load.mock.calls.length, resource.newestChange?.isCertain]).toEqual([1, false])
  })
})

test('a visible card is read again without the rest of its batch, and a cached card is dropped', async () => {
  const door = host({ 'notes.batchGet': () => '{"items":[{"noteid":"A"},{"noteid":"B"},{"noteid":"C"}]}' })
  inScope(() => [useCard(() => 'A'), useCard(() => 'B')])
  const other = effectScope()
  other.run(() => useCard(() => 'C'))
  await pass(50)
  other.stop()
  const listRequests = (): unknown[] =>
    reads(door, 'notes.batchGet').map((call) => (call as { input: { body: unknown } }).input.body)
  expect(listRequests()).toHaveLength(1)
  push(door, change('notes.blankBands', { cards: ['b', 'C'] }))
  await pass(1_000)
  expect(listRequests().slice(1)).toEqual([{ noteIds: ['B'] }])
  inScope(() => useCard(() => 'C'))
  await pass(50)
  expect(listRequests().slice(2)).toEqual([{ noteIds: ['C'] }])
})

test('a verdict form takes no revision that was read before a write, even while the card waits for its reload', async () => {
  let revision = 3
  const values = ref<FormValues>({ noteid: 'A' })
  const isFormShown = ref(false)
  const Form = defineComponent(() => {
    const { note } = useWriteFace(getEndpointById('notes.practiceVerdict'), values)
    return () => h('p', note.value)
  })
  const view = mountComponent(
    defineComponent(() => {
      useCard(() => 'A')
      return () => (isFormShown.value ? h(Form) : null)
    }),
  )
  const door = host({ 'notes.batchGet': () => `{"items":[{"noteid":"A","commentsRevision":${revision}}]}` })
  await pass(50)
  push(door, change('notes.blankBands', { cards: ['A'] }))
  // The card is shown as it was before the next write, whose reload has to wait.
  await pass(1_000)
  revision = 4
  push(door, change('notes.blankBands', { cards: ['A'] }))
  isFormShown.value = true
  await pass(100)
  expect(values.value['expectedRevision']).toBe(4)
  await pass(5_000)
  expect(view.text()).toContain('expectedRevision is 4')
  expect(view.text()).not.toContain('has changed')
})

test('a picture is opened again, bypassing the cache of the service process', async () => {
  const door = host({})
  const source = { endpoint: 'notes.content' as const, params: { noteid: 'N-1', contentId: 'c' }, query: {} }
  inScope(() => useContent(() => source))
  await pass(10)
  push(door, change('writing.pencilCommit', { cards: ['N-1'] }))
  await pass(1_000)
  const opened = door.calls.filter(({ method }) => method === 'content.open').map(({ input }) => input)
  expect(opened).toEqual([source, { ...source, fresh: true }])
})

describe('a change made outside the program', () => {
  test('is noticed if the date of a study set differs in the list', async () => {
    let date = 'monday'
    const door = host({
      'studySets.list': () => `{"studySets":[{"topicid":"T-1","title":"x","lastModifiedAt":"${date}"}]}`,
    })
    const library = useLibrary()
    hashtags()
    await pass(3_000)
    date = 'tuesday'
    await Promise.all([library.studySets.reload(), pass(10)])
    await pass(1_000)
    expect(reads(door, 'studySets.hashtags')).toHaveLength(2)
    // A date that a known write explains is no surprise.
    date = 'wednesday'
    push(door, change('bundles.prepare', { sets: ['T-1'] }))
    await Promise.all([library.studySets.reload(), pass(10)])
    await pass(5_000)
    expect(reads(door, 'studySets.hashtags')).toHaveLength(2)
  })

  test('is noticed by the title of the followed card', async () => {
    let title = 'old'
    const door = host({
      'context.get': () => `{"studySet":{"topicid":"T-1"},"focusedNote":{"noteid":"N-1","title":"${title}"}}`,
      'notes.batchGet': () => '{"items":[{"noteid":"N-1"}]}',
    })
    inScope(() => useCard(() => 'N-1'))
    useFollowMode().toggle()
    await pass(6_000)
    title = 'new'
    await pass(6_000)
    useFollowMode().toggle()
    expect(reads(door, 'notes.batchGet')).toHaveLength(2)
  })
})

test('everything read from a host is stale once the host is gone', async () => {
  host({})
  const resource = hashtags()
  await pass(10)
  expect(resource.isStale).toBe(false)
  useConnection().state = createConnectionState({ phase: 'offline' })
  await nextTick()
  expect(resource.isStale).toBe(true)
})
