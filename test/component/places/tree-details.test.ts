import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createPinia, setActivePinia } from 'pinia'
import { effectScope, markRaw, nextTick, ref } from 'vue'
import type { MarkFilter } from '../../../renderer/model/cards/card-marks.ts'
import { Forest } from '../../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../../renderer/model/tree/tree-reader.ts'
import { computeVisibleRows, createTreeFilter } from '../../../renderer/model/tree/tree-rows.ts'
import CardTree from '../../../renderer/places/tree/CardTree.vue'
import TreeEmptyState from '../../../renderer/places/tree/TreeEmptyState.vue'
import TreeReadStatus from '../../../renderer/places/tree/TreeReadStatus.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useTree } from '../../../renderer/stores/tree.ts'
import { useRowDetails, useTreeDetails } from '../../../renderer/stores/tree-details.ts'
import { NO_IDS_BY_KIND } from '../../../shared/bridge/data-change.ts'
import { AppError } from '../../../shared/errors.ts'
import { readHostLimits } from '../../../shared/bridge/host-limits.ts'
import type { ReadInput } from '../../../shared/ipc/bridge.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

beforeEach(() => {
  vi.useFakeTimers()
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 260 })
})
afterEach(() => {
  vi.useRealTimers()
  document.body.innerHTML = ''
})

interface HostOptions {
  readonly routes?: readonly { method: string; path: string }[]
  readonly createItem?: (noteid: string) => object
  /** Requests that are answered only when this resolves. */
  readonly delay?: Promise<unknown>
  readonly error?: AppError
}

/** A host with these cards; the batches that it was asked for, and how many at the same time. */
function installHost({ routes, createItem = (noteid) => ({ noteid }), delay, error }: HostOptions = {}) {
  const batches: string[][] = []
  let pendingCount = 0
  let mostPending = 0
  const service = installFakeServiceProcess({
    'bridge.limits': () => readHostLimits({ routes: [], noteMetadata: { maxNoteIds: 50 } }),
    'bridge.read': async (input) => {
      const { endpoint, body } = input as ReadInput & { body?: { noteIds: string[] } }
      if (endpoint === 'capabilities.get')
        return createReadReply(
          endpoint,
          JSON.stringify({ routes: routes ?? [{ method: 'POST', path: '/notes/batch-get' }] }),
        )
      if (endpoint !== 'notes.batchGet') return createReadReply(endpoint, '{"colors":[]}')
      const ids = body?.noteIds ?? []
      batches.push(ids)
      pendingCount += 1
      mostPending = Math.max(mostPending, pendingCount)
      await delay
      pendingCount -= 1
      if (error) throw error
      return createReadReply(endpoint, JSON.stringify({ items: ids.map(createItem) }))
    },
  })
  return { batches, service, getMostPending: () => mostPending }
}

/** Opens a tree of siblings with the ids `0`, `1`, … */
function openTree(count: number): Forest {
  const reader = new TreeReader('')
  const forest = markRaw(new Forest())
  reader.readNodes(Array.from({ length: count }, (_, index) => ({ noteid: `${index}`, title: `Card ${index}` })))
  forest.appendChunk(reader.linkNodes())
  forest.finishLoading(true)
  useTree().$patch((state) => {
    state.key = { topicid: 'T', root: '', sort: '', pageSize: 10 }
    state.status = 'complete'
    state.forest = forest
    state.rows = computeVisibleRows(forest, null)
    state.loadedCount = count
  })
  return forest
}

const range = (start: number, end: number): number[] => Array.from({ length: end - start }, (_, n) => start + n)
const toIds = (nodes: readonly number[]): string[] => nodes.map(String)
/** Until rows rest, their batch is sent and its response is parsed. */
async function rest(): Promise<void> {
  for (let step = 0; step < 10; step += 1) {
    await vi.advanceTimersByTimeAsync(100)
    await flushPromises()
  }
}

/** Watches rows of a tree with `count` cards. `sight` is what the view shows. */
async function watchRows(options: HostOptions = {}, count = 1_000) {
  const host = installHost(options)
  setActivePinia(createPinia())
  const sight = ref<readonly number[]>([])
  const scope = effectScope()
  onTestFinished(() => scope.stop())
  useConnection().state = createConnectionState()
  scope.run(() => useRowDetails(() => sight.value))
  openTree(count)
  await rest()
  return { ...host, sight, details: useTreeDetails() }
}

describe('the details of rows', () => {
  test('are read in one batch once the rows rest, and once only', async () => {
    const { sight, batches, details } = await watchRows()
    sight.value = range(0, 20)
    await rest()
    sight.value = range(10, 30)
    await rest()
    sight.value = range(0, 20)
    await rest()
    expect(batches).toEqual([toIds(range(0, 20)), toIds(range(20, 30))])
    expect(details.readCount).toBe(30)
  })

  test('are not read of rows that are passed', async () => {
    const { sight, batches } = await watchRows()
    for (let start = 0; start < 900; start += 10) {
      sight.value = range(start, start + 20)
      await vi.advanceTimersByTimeAsync(16)
    }
    await rest()
    expect(batches).toEqual([toIds(range(890, 910))])
  })

  test('are asked for at most twice at a time, and a request for passed rows is cancelled', async () => {
    const { promise, resolve } = Promise.withResolvers<null>()
    const { sight, service, batches } = await watchRows({ delay: promise })
    for (const start of [0, 100, 200, 300]) {
      sight.value = range(start, start + 20)
      await rest()
      expect(batches.length - service.cancelled.length).toBeLessThanOrEqual(2)
    }
    expect(service.cancelled).toHaveLength(3)
    resolve(null)
  })

  test('are not asked for where the host does not list the route', async () => {
    const { sight, batches, details } = await watchRows({ routes: [{ method: 'GET', path: '/capabilities' }] })
    sight.value = range(0, 20)
    await rest()
    expect(batches).toEqual([])
    expect(details.isAvailable).toBe(false)
  })

  test('are not asked for again once the host has refused them', async () => {
    const error = new AppError({ kind: 'host', code: 'NOT_ALLOWED', status: 403, message: 'No.', retryable: false })
    const { sight, batches, details } = await watchRows({ error })
    sight.value = range(0, 20)
    await rest()
    sight.value = range(100, 120)
    await rest()
    expect(batches).toHaveLength(1)
    expect(details.isAvailable).toBe(false)
    expect(details.readCount).toBe(0)
    details.reload()
    await rest()
    expect(batches).toHaveLength(2)
  })

  test('are forgotten after a write to the card, or to an unknown one', async () => {
    const { sight, service, details } = await watchRows({ createItem: (noteid) => ({ noteid, hashtags: ['#a'] }) })
    vi.spyOn(useTree(), 'indexOf').mockImplementation((id) => Promise.resolve(Number(id)))
    for (const start of [0, 10, 20]) {
      sight.value = range(start, start + 10)
      await rest()
    }
    const publishWrite = (...cards: string[]): void =>
      service.push({
        topic: 'bridge.dataChanged',
        payload: {
          changes: [
            { at: 1, cause: null, fact: null, matters: ['cards'], ids: { ...NO_IDS_BY_KIND, cards }, isCertain: true },
          ],
        },
      })
    publishWrite('3')
    await rest()
    expect([details.marks.has(3), details.readCount]).toEqual([false, 29])
    expect(details.marks.has(4)).toBe(true)
    publishWrite()
    await rest()
    expect(details.marks.has(4)).toBe(false)
    // Rows in sight show what they have until they are read again.
    expect(details.marks.has(25)).toBe(true)
    expect(details.readCount).toBe(10)
  })
})

describe('a filter', () => {
  const createItem = (noteid: string): object => ({
    noteid,
    hashtags: Number(noteid) % 2 === 0 ? ['#even'] : [],
    parts: Number(noteid) % 3 === 0 ? [{ kind: 'ink', contentId: 'i' }] : [],
    texts: [{ index: 1, text: noteid === '5' ? 'the atlas' : '' }],
  })
  const filters = (...names: MarkFilter[]): ReadonlySet<MarkFilter> => new Set(names)

  test('by marks finds cards that were read and have all of them', async () => {
    const { sight, details } = await watchRows({ createItem })
    sight.value = range(0, 20)
    await rest()
    expect([...(details.refineMatches(null, '', filters('hashtag', 'ink')) ?? [])]).toEqual([0, 6, 12, 18])
    expect([...(details.refineMatches(Uint32Array.of(6, 7, 500), 'card', filters('hashtag')) ?? [])]).toEqual([6])
    expect(details.refineMatches(null, '', filters())).toBeNull()
  })

  test('by a text also finds it in hashtags and texts that were read', async () => {
    const { sight, details } = await watchRows({ createItem })
    sight.value = range(0, 20)
    await rest()
    expect([...(details.refineMatches(Uint32Array.of(700), 'atlas', filters()) ?? [])]).toEqual([700, 5])
  })

  test('can read the rest in batches, and be stopped', async () => {
    const { sight, details, batches, getMostPending } = await watchRows({ createItem }, 230)
    sight.value = range(0, 20)
    await rest()
    void details.readAll()
    await rest()
    expect(details.readCount).toBe(230)
    expect(getMostPending()).toBeLessThanOrEqual(2)
    expect(batches.slice(1).flat().sort()).toEqual(toIds(range(20, 230)).sort())
    expect(Math.max(...batches.map((batch) => batch.length))).toBe(50)
  })

  test('stops reading the rest on command and where the host fails', async () => {
    const delay = Promise.withResolvers<null>()
    const { details, batches, service } = await watchRows({ delay: delay.promise })
    void details.readAll()
    await rest()
    expect([details.isReadingAll, batches.length]).toEqual([true, 2])
    details.cancelReadAll()
    await rest()
    expect([details.isReadingAll, service.cancelled.length]).toEqual([false, 2])

    const failing = await watchRows({
      error: new AppError({ kind: 'host', code: 'BROKEN', status: 500, message: 'Broken.', retryable: true }),
    })
    void failing.details.readAll()
    await rest()
    expect(failing.details.readAllError?.code).toBe('BROKEN')
    expect(failing.batches.length).toBeLessThanOrEqual(2)
  })
})

test('a row is named by its title and described by its marks', async () => {
  const createItem = (noteid: string): object => ({
    noteid,
    parts: [{ kind: 'image', contentId: 'i' }, { kind: 'ink' }],
    bands: [{}, {}],
    hashtags: ['#bones'],
    practice: { self: 'again' },
    metadata: { colorIndex: 2 },
  })
  installHost({ createItem })
  mountComponent(CardTree, {
    props: { isShown: true, selected: -1, highlight: '', docName: () => '', editing: -1 },
  })
  useConnection().state = createConnectionState()
  openTree(30)
  await rest()
  const [row] = findAllByRole('treeitem')
  expect(row?.getAttribute('aria-label')).toBe('Card 0')
  const description = document.getElementById(row?.getAttribute('aria-describedby') ?? '')
  expect(description?.textContent).toBe('Picture; 2 bands; Ink; Practice: again; Hashtags #bones; Level 2')
  expect(row?.textContent).toContain('#bones')
})

test('a row tells where the text of the filter was found', async () => {
  const createItem = (noteid: string): object => ({
    noteid,
    ...(noteid === '1' ? { hashtags: ['#skull/base'] } : {}),
    ...(noteid === '2' ? { texts: [{ text: 'Card 2' }, { text: 'The base of the heart' }] } : {}),
  })
  installHost({ createItem })
  const page = mountComponent(CardTree, {
    props: { isShown: true, selected: -1, highlight: 'base', docName: () => '', editing: -1 },
  })
  useConnection().state = createConnectionState()
  const forest = openTree(3)
  await rest()
  useTree().filter = markRaw(createTreeFilter(forest, Uint32Array.of(1, 2)))
  await nextTick()
  const rows = findAllByRole('treeitem').map((row) => row.textContent.replace(/\s+/g, ' '))
  expect(rows[1]).toContain('Match in hashtag #skull/base')
  expect(rows[2]).toContain('Match in text: The base of the heart')
  expect(page.findAll('mark').map((mark) => mark.text())).toEqual(['base', 'base'])
})

test('the rows show titles only where the host refuses the details', async () => {
  installHost({ error: new AppError({ kind: 'http', status: 404, message: 'Not found', retryable: false }) })
  mountComponent(CardTree, {
    props: { isShown: true, selected: -1, highlight: '', docName: () => '', editing: -1 },
  })
  useConnection().state = createConnectionState()
  openTree(3)
  await rest()
  const rows = findAllByRole('treeitem')
  expect(rows.map((row) => row.textContent.trim())).toEqual(['Card 0', 'Card 1', 'Card 2'])
  expect(rows.every((row) => !row.hasAttribute('aria-describedby'))).toBe(true)
})

test('the status of a filter tells how much it searched', async () => {
  const page = mountComponent(TreeReadStatus, {
    props: { searched: { readCount: 20, markedCount: 20 }, matchCount: 4, hasMarkFilters: true },
  })
  openTree(1_000)
  await nextTick()
  expect(getByRole('status').textContent).toBe('4 found among 20 of 1,000 cards that were read')
  expect(findAllByRole('button').map((button) => button.textContent.trim())).toEqual(['Read all'])
  await page.setProps({ hasMarkFilters: false })
  expect(getByRole('status').textContent).toBe('Hashtags and text: 20 of 1,000 cards were read')
  await page.setProps({ searched: { readCount: 1_000, markedCount: 1_000 }, hasMarkFilters: true })
  expect(getByRole('status').textContent).toBe('4 found among all 1,000 cards')
})

test('the status of a filter is announced once nothing is read any more, by the element that was there', async () => {
  mountComponent(TreeReadStatus, {
    props: { searched: { readCount: 20, markedCount: 20 }, matchCount: 4, hasMarkFilters: true },
  })
  const status = getByRole('status')
  openTree(1_000)
  await nextTick()
  expect(status.textContent).toContain('20 of 1,000')
  expect(status.getAttribute('aria-live')).toBe('off')
  openTree(0)
  await nextTick()
  expect(status.getAttribute('aria-live')).toBe('polite')
  expect(status.textContent).toContain('4 found')
})

test('an empty result tells what was not read', async () => {
  const page = mountComponent(TreeEmptyState, {
    props: { matchCount: 0, hasMarkFilters: true, isOnlyChanged: false, searched: { readCount: 20, markedCount: 20 } },
  })
  useConnection().state = createConnectionState()
  openTree(1_000)
  await nextTick()
  expect(page.text()).toContain('None of the 20 cards that were read has everything that was asked for.')
  getByRole('button', 'Clear the filters').click()
  expect(page.emitted('clear')).toHaveLength(1)
})
