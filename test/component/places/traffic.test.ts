import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import TrafficPlace from '../../../renderer/places/traffic/TrafficPlace.vue'
import { AppError } from '../../../shared/errors.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { useApp } from '../../../renderer/stores/app.ts'
import { prefetchTrafficHead, takePrefetchedHead } from '../../../renderer/stores/traffic.ts'
import { createExchangeDetail } from '../../support/vue/exchanges.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { appInfo } from '../../support/vue/states.ts'
import { createListedRow, listRowTexts, openTrafficPlace, trafficInfo } from '../../support/vue/traffic-place.ts'

beforeEach(() => {
  // happy-dom has no layout: pretend there are 400 px of room.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 1200 })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  document.body.innerHTML = ''
})

const bytesOf = (seqs: readonly number[]): ArrayBuffer => Uint32Array.from(seqs).buffer
const createSearchResult = (seqs: readonly number[], scattered = false) => ({
  meta: { total: seqs.length, newest: Math.max(0, ...seqs), incomplete: false, scattered },
  bytes: bytesOf(seqs),
})
const rowsOf = (input: unknown, make: (seq: number) => ExchangeRow) => ({
  rows: (input as { seqs: number[] }).seqs.map(make),
})
const pendingRow = (seq: number): Partial<ExchangeRow> =>
  Object.fromEntries(
    Object.entries(createListedRow(seq, { state: 'pending', status: null, durationMs: null })).filter(
      ([name]) => name !== 'seq',
    ),
  )
const settled = async (): Promise<void> => {
  await vi.waitFor(() => expect(document.body.textContent).not.toContain('…/'))
  await new Promise((resolve) => setTimeout(resolve, 60))
  await flushPromises()
}
const nextFrame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve))
/** Rows beyond those in view are drawn two frames after the first ones. */
const overscanned = async (): Promise<void> => {
  await nextFrame()
  await nextFrame()
  await nextTick()
}
const listCards = (): (string | undefined)[] => listRowTexts().map((text) => /N\d/.exec(text)?.[0])
const waitForCards = (...cards: string[]): Promise<void> => vi.waitFor(() => expect(listCards()).toEqual(cards))

/** More rows than are in sight, so that the strip is shown; there are no others. */
const createManyRows = () => ({
  rows: Array.from({ length: 60 }, (_, index) => createListedRow(60 - index)),
  newest: 60,
  isWhole: true,
})

/** The place with two rows, which are all there are. */
async function withTwo() {
  const page = openTrafficPlace({
    'traffic.head': () => ({ rows: [createListedRow(2), createListedRow(1)], newest: 2, isWhole: true }),
  })
  await vi.waitFor(() => expect(listRowTexts()).toHaveLength(2))
  return page
}

test('only visible rows of 100,000 exchanges are read', async () => {
  const all = Array.from({ length: 100_000 }, (_, index) => 100_000 - index)
  const page = openTrafficPlace({
    'traffic.find': () => createSearchResult(all),
    'traffic.rows': (input) => rowsOf(input, createListedRow),
  })
  await vi.waitFor(() => expect(getByRole('grid', 'Traffic').getAttribute('aria-rowcount')).toBe('100001'))
  await vi.waitFor(() => expect(listRowTexts()[0]).toContain('/notes/N100000'))
  await settled()
  const read = page.calls.filter(({ method }) => method === 'traffic.rows')
  expect(read.flatMap(({ input }) => (input as { seqs: number[] }).seqs).length).toBeLessThan(200)
})

test('the first rows appear before the rest is counted, and do not move afterwards', async () => {
  const all = Array.from({ length: 100_000 }, (_, index) => 100_000 - index)
  const rest = Promise.withResolvers<ReturnType<typeof createSearchResult>>()
  const page = openTrafficPlace({
    'traffic.head': () => ({
      rows: all.slice(0, 64).map((seq) => createListedRow(seq)),
      newest: 100_000,
      isWhole: false,
    }),
    'traffic.find': () => rest.promise,
    'traffic.rows': (input) => rowsOf(input, createListedRow),
  })
  await vi.waitFor(() => expect(listRowTexts()[0]).toContain('/notes/N100000'))
  await overscanned()
  const before = listRowTexts()
  expect(getByRole('grid', 'Traffic').getAttribute('aria-rowcount')).toBe('-1')
  expect(page.calls.map(({ method }) => method)).not.toContain('traffic.strip')
  rest.resolve(createSearchResult(all))
  await vi.waitFor(() => expect(getByRole('grid', 'Traffic').getAttribute('aria-rowcount')).toBe('100001'))
  expect(listRowTexts()).toEqual(before)
  expect(document.body.textContent).toContain('100,000 exchanges')
  await vi.waitFor(() => expect(page.calls.map(({ method }) => method)).toContain('traffic.strip'))
})

test('the header is shown without an empty message while the first rows are searched for', async () => {
  const page = openTrafficPlace({
    'traffic.head': () => new Promise(() => undefined),
  })
  await flushPromises()
  expect(getByRole('grid', 'Traffic').getAttribute('aria-busy')).toBe('true')
  expect(findAllByRole('columnheader').length).toBeGreaterThan(5)
  expect(document.body.textContent).not.toContain('Nothing recorded')
  // Whatever else the place wants to know comes after them.
  expect(page.calls[0]?.method).toBe('traffic.head')
})

test('a wide window shows everything above the list after its first rows, or soon if they take long', async () => {
  vi.stubGlobal('innerWidth', 1440)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const complete = (): boolean => findAllByRole('button', 'Filter').length > 0 && findAllByRole('slider').length > 0
  const rest = Promise.withResolvers<{ rows: ExchangeRow[]; newest: number; isWhole: boolean }>()
  openTrafficPlace({ 'traffic.head': () => rest.promise })
  await flushPromises()
  expect(findAllByRole('searchbox')).toHaveLength(1)
  expect(complete()).toBe(false)
  rest.resolve(createManyRows())
  await flushPromises()
  expect([listRowTexts().length > 0, complete()]).toEqual([true, false])
  // No time passes: it is the frames that complete it.
  while (!complete()) await nextFrame()

  document.body.innerHTML = ''
  openTrafficPlace({ 'traffic.head': () => new Promise(() => undefined) })
  await flushPromises()
  const areFiltersShown = (): boolean => findAllByRole('button', 'Filter').length > 0
  expect(areFiltersShown()).toBe(false)
  await vi.advanceTimersByTimeAsync(400)
  while (!areFiltersShown()) await nextFrame()
})

test('the first typed letter filters at once, the following letters together', async () => {
  const page = await withTwo()
  const listRequests = (): unknown[] =>
    page.calls
      .filter(({ method }) => method === 'traffic.head')
      .map(({ input }) => (input as { filter: { text?: string } }).filter.text)
  const field = getByRole('searchbox', 'Filter by method, path or code') as HTMLInputElement
  const type = async (text: string): Promise<void> => {
    field.value = text
    field.dispatchEvent(new Event('input', { bubbles: true }))
    await nextTick()
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  await type('n')
  await flushPromises()
  expect(listRequests()).toEqual([undefined, 'n'])
  await type('no')
  await type('not')
  await flushPromises()
  expect(listRequests()).toEqual([undefined, 'n'])
  await vi.advanceTimersByTimeAsync(50)
  vi.useRealTimers()
  await flushPromises()
  expect(listRequests()).toEqual([undefined, 'n', 'not'])
})

test('no further search starts if the first rows are already all rows', async () => {
  const page = openTrafficPlace({ 'traffic.head': () => createManyRows() })
  await vi.waitFor(() => expect(getByRole('grid', 'Traffic').getAttribute('aria-rowcount')).toBe('61'))
  await vi.waitFor(() => expect(page.calls.map(({ method }) => method)).toContain('traffic.strip'))
  expect(page.calls.map(({ method }) => method)).not.toContain('traffic.find')
})

test('a list of some thousand exchanges is known with its first rows', async () => {
  const all = Array.from({ length: 5_000 }, (_, index) => 5_000 - index)
  const page = openTrafficPlace({
    'traffic.head': () => ({
      rows: all.slice(0, 64).map((seq) => createListedRow(seq)),
      seqs: all,
      newest: 5_000,
      isWhole: true,
    }),
    'traffic.rows': (input) => rowsOf(input, createListedRow),
  })
  await vi.waitFor(() => expect(getByRole('grid', 'Traffic').getAttribute('aria-rowcount')).toBe('5001'))
  await vi.waitFor(() => expect(page.calls.map(({ method }) => method)).toContain('traffic.strip'))
  expect(page.calls.map(({ method }) => method)).not.toContain('traffic.find')
})

test('rows that were requested before the place are shown at once, and newer ones are searched for', async () => {
  const sort = { by: 'time' as const, descending: true }
  const page = installFakeServiceProcess({
    'traffic.info': () => trafficInfo,
    'traffic.strip': () => ({ all: [], failed: [] }),
    'traffic.head': () => ({ rows: [createListedRow(2), createListedRow(1)], newest: 2, isWhole: true }),
    'traffic.find': () => createSearchResult([3, 2, 1]),
    'traffic.rows': (input) => rowsOf(input, createListedRow),
  })
  prefetchTrafficHead({ thisRun: true }, sort)
  mountComponent(TrafficPlace)
  await waitForCards('N3', 'N2', 'N1')
  const methods = page.calls.map(({ method }) => method)
  expect(methods.filter((method) => /traffic.(head|find)/.test(method))).toEqual(['traffic.head', 'traffic.find'])
})

test('rows that were requested in advance are used once, for the same list, and not if they are old', async () => {
  const sort = { by: 'time' as const, descending: true }
  const head = { rows: [createListedRow(1)], newest: 1, isWhole: true }
  installFakeServiceProcess({ 'traffic.head': () => head })
  vi.useFakeTimers({ toFake: ['performance'] })
  prefetchTrafficHead({}, sort)
  expect(takePrefetchedHead({ thisRun: true }, sort)).toBeNull()
  prefetchTrafficHead({}, sort)
  expect(await takePrefetchedHead({}, sort)).toEqual(head)
  expect(takePrefetchedHead({}, sort)).toBeNull()
  prefetchTrafficHead({}, sort)
  vi.advanceTimersByTime(60_000)
  expect(takePrefetchedHead({}, sort)).toBeNull()
})

test('the strip of a recording ends with its last exchange, however long ago that was', async () => {
  const page = openTrafficPlace({
    'traffic.info': () => ({ ...trafficInfo, oldestAt: 1_000, runStartedAt: 1_000, newestAt: 9_000 }),
    'traffic.head': () => createManyRows(),
  })
  useApp().info = { ...appInfo, recording: { title: 'A bug', startedAt: 1_000 } }
  await vi.waitFor(() => expect(page.calls.map(({ method }) => method)).toContain('traffic.strip'))
  const { input } = page.calls.find(({ method }) => method === 'traffic.strip') ?? {}
  expect(input).toMatchObject({ from: 1_000, to: 9_000 })
})

test('failed, cancelled and repeated exchanges are distinguished in words', async () => {
  const kinds: Readonly<Record<number, Partial<ExchangeRow>>> = {
    1: { state: 'failed', status: null, errorCode: 'CONNECTION_REFUSED' },
    2: { state: 'cancelled', status: null, durationMs: 5 },
    3: { attempt: 2, group: 'id-1' },
    4: { status: 404, errorCode: 'NOTE_NOT_FOUND', origin: { kind: 'recorded', label: 'other' } },
  }
  openTrafficPlace({
    'traffic.find': () => createSearchResult([1, 2, 3, 4]),
    'traffic.rows': (input) => rowsOf(input, (seq) => createListedRow(seq, kinds[seq])),
  })
  await waitForCards('N1', 'N2', 'N3', 'N4')
  const [failed, cancelled, retried, refused] = listRowTexts()
  expect(failed).toContain('Failed CONNECTION_REFUSED')
  expect(cancelled).toContain('Cancelled')
  expect(retried).toContain('retry 2')
  expect(refused).toContain('404 NOTE_NOT_FOUND')
  expect(refused).toContain('recorded: other')
})

test('a pending exchange is on top, and a new one is added without reading the list again', async () => {
  const seqs = [2, 1]
  const page = openTrafficPlace({
    'traffic.find': (input) => createSearchResult((input as { after?: number }).after === undefined ? seqs : [3]),
    'traffic.rows': (input) => rowsOf(input, createListedRow),
  })
  await waitForCards('N2', 'N1')
  const pending = pendingRow(9)
  page.push({ topic: 'traffic.changed', payload: { newest: 3, exchanges: 3, pending: [pending], reread: false } })
  await waitForCards('N9', 'N3', 'N2', 'N1')
  expect(listRowTexts()[0]).toContain('Pending')
  expect(page.calls.filter(({ method }) => method === 'traffic.find').at(-1)?.input).toMatchObject({ after: 2 })
})

test('exchanges under way are rendered together with the rows that end with them', async () => {
  const more = Promise.withResolvers<ReturnType<typeof createSearchResult>>()
  const page = openTrafficPlace({
    'traffic.head': () => ({ rows: [createListedRow(2), createListedRow(1)], newest: 2, isWhole: true }),
    'traffic.find': () => more.promise,
    'traffic.rows': (input) => rowsOf(input, createListedRow),
  })
  await waitForCards('N2', 'N1')
  const counts: number[] = []
  new MutationObserver(() => counts.push(listRowTexts().length)).observe(document.body, {
    childList: true,
    subtree: true,
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const push = { newest: 3, exchanges: 3, pending: [pendingRow(9)], reread: false }
  page.push({ topic: 'traffic.changed', payload: push })
  await vi.advanceTimersByTimeAsync(20)
  more.resolve(createSearchResult([3]))
  await waitForCards('N9', 'N3', 'N2', 'N1')
  expect(counts).not.toContain(3)
})

test('exchanges under way appear although the search for new rows takes long', async () => {
  const page = openTrafficPlace({
    'traffic.head': () => ({ rows: [createListedRow(2), createListedRow(1)], newest: 2, isWhole: true }),
    'traffic.find': () => new Promise(() => undefined),
  })
  await waitForCards('N2', 'N1')
  const push = { newest: 3, exchanges: 3, pending: [pendingRow(9)], reread: false }
  page.push({ topic: 'traffic.changed', payload: push })
  await waitForCards('N9', 'N2', 'N1')
})

test('an exchange that has ended stays in the list until its row is there', async () => {
  const more = Promise.withResolvers<ReturnType<typeof createSearchResult>>()
  const page = openTrafficPlace({
    'traffic.head': () => ({ rows: [createListedRow(2), createListedRow(1)], newest: 2, isWhole: true }),
    'traffic.find': () => more.promise,
    'traffic.rows': (input) => rowsOf(input, createListedRow),
  })
  await vi.waitFor(() => expect(listRowTexts()).toHaveLength(2))
  const pending = pendingRow(3)
  const push = (rows: readonly unknown[], newest: number) =>
    page.push({ topic: 'traffic.changed', payload: { newest, exchanges: newest, pending: rows, reread: false } })
  push([pending], 2)
  await nextTick()
  expect(listRowTexts()).toHaveLength(3)
  const counts: number[] = []
  new MutationObserver(() => counts.push(listRowTexts().length)).observe(document.body, {
    childList: true,
    subtree: true,
  })
  // The store has it only some time after it has ended, but before it is taken for lost.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  push([], 2)
  await vi.advanceTimersByTimeAsync(100)
  push([], 3)
  await vi.advanceTimersByTimeAsync(100)
  expect(listRowTexts()[0]).toContain('Pending')
  more.resolve(createSearchResult([3]))
  await vi.waitFor(() => expect(listRowTexts()[0]).not.toContain('Pending'))
  await waitForCards('N3', 'N2', 'N1')
  expect(new Set(counts)).toEqual(new Set([3]))
})

test('an exchange that ended with many others is not taken for one whose row is still missing', async () => {
  const newSeqs = Array.from({ length: 100 }, (_, index) => 160 - index)
  const page = openTrafficPlace({
    'traffic.head': createManyRows,
    'traffic.find': () => createSearchResult(newSeqs),
    'traffic.rows': (input) => rowsOf(input, createListedRow),
  })
  const waitForCount = (count: number): Promise<void> =>
    vi.waitFor(() => expect(getByRole('grid', 'Traffic').getAttribute('aria-rowcount')).toBe(String(count + 1)))
  await waitForCount(60)
  const push = (rows: readonly unknown[], newest: number) =>
    page.push({ topic: 'traffic.changed', payload: { newest, exchanges: newest, pending: rows, reread: false } })
  push([pendingRow(61)], 60)
  await waitForCount(61)
  const counts: (string | null)[] = []
  const grid = getByRole('grid', 'Traffic')
  new MutationObserver(() => counts.push(grid.getAttribute('aria-rowcount'))).observe(grid, { attributes: true })
  push([], 160)
  await waitForCount(160)
  expect(counts).toEqual(['161'])
  expect(document.querySelector('[aria-rowindex="2"]')?.textContent).toContain('/notes/N160')
})

test('rows that become older than the last minute leave the list, which renders only then', async () => {
  vi.useFakeTimers()
  let seqs = [2, 1]
  const page = openTrafficPlace({
    'traffic.head': () => ({ rows: [createListedRow(2), createListedRow(1)], newest: 2, isWhole: true }),
    'traffic.find': () => createSearchResult(seqs),
    'traffic.rows': (input) => rowsOf(input, createListedRow),
  })
  const field = getByRole('searchbox', 'Filter by method, path or code') as HTMLInputElement
  field.value = 'last:1m'
  field.dispatchEvent(new Event('input'))
  await waitForCards('N2', 'N1')
  let changes = 0
  const observer = new MutationObserver(() => (changes += 1))
  observer.observe(getByRole('grid', 'Traffic'), { attributes: true, childList: true, subtree: true })
  const countFinds = (): number => page.calls.filter(({ method }) => method === 'traffic.find').length
  const before = countFinds()
  await vi.advanceTimersByTimeAsync(4_500)
  expect([countFinds() - before, changes]).toEqual([4, 0])
  seqs = [2]
  await vi.advanceTimersByTimeAsync(1_000)
  await waitForCards('N2')
})

test('an exchange that has ended but was not stored leaves the list', async () => {
  const page = await withTwo()
  const pending = pendingRow(3)
  vi.useFakeTimers()
  for (const rows of [[pending], []])
    page.push({ topic: 'traffic.changed', payload: { newest: 2, exchanges: 2, pending: rows, reread: false } })
  await nextTick()
  expect(listRowTexts()).toHaveLength(3)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(listRowTexts()).toHaveLength(2)
})

test('a new retry is placed below its first attempt', async () => {
  let seqs = [2, 1]
  const page = openTrafficPlace({
    'traffic.find': (input) =>
      (input as { after?: number }).after === undefined ? createSearchResult(seqs) : createSearchResult([3], true),
    'traffic.rows': (input) =>
      rowsOf(input, (seq) =>
        seq === 3 ? createListedRow(3, { attempt: 2, group: 'id-1', path: '/notes/N1' }) : createListedRow(seq),
      ),
  })
  await waitForCards('N2', 'N1')
  seqs = [2, 1, 3]
  page.push({ topic: 'traffic.changed', payload: { newest: 3, exchanges: 3, pending: [], reread: false } })
  await waitForCards('N2', 'N1', 'N1')
  expect(listRowTexts()[2]).toContain('retry 2')
})

test('exchanges that could not be recorded or read are reported', async () => {
  openTrafficPlace({
    'traffic.info': () => ({
      ...trafficInfo,
      kind: 'memory',
      reason: 'TRAFFIC_NO_DATABASE',
      paused: true,
      droppedBodies: 2,
    }),
    'traffic.find': () => {
      throw new AppError({ kind: 'internal', code: 'TRAFFIC_BROKEN', message: 'The store is gone.', retryable: true })
    },
  })
  await vi.waitFor(() => getByRole('alert'))
  await vi.waitFor(() => expect(document.body.textContent).toContain('Recording is paused'))
  const text = document.body.textContent ?? ''
  expect(text).toContain('Recording is paused')
  expect(text).toContain('Kept in memory only, and gone when the app exits. This runtime has no database')
  expect(text).toContain('2 bodies were not kept')
  expect(getByRole('alert').textContent).toContain('The store is gone.')
  expect(findAllByRole('grid', 'Traffic')).toHaveLength(0)
})

test('an exchange that is no longer stored is reported', async () => {
  installFakeServiceProcess({
    'traffic.find': () => createSearchResult([]),
    'traffic.rows': () => ({ rows: [] }),
    'traffic.exchange': () => createExchangeDetail({ row: { path: '/guide' } }),
  })
  const { default: ExchangeView } = await import('../../../renderer/panes/exchange/ExchangeView.vue')
  mountComponent(ExchangeView, { props: { seq: 1 } })
  const waitForExchange = (text: string) =>
    vi.waitFor(() => expect(document.querySelector('section[aria-label="Exchange"]')?.textContent).toContain(text))
  await waitForExchange('GET /guide')
  document.body.innerHTML = ''
  installFakeServiceProcess({
    'traffic.exchange': () => {
      throw new AppError({ kind: 'internal', code: 'EXCHANGE_UNKNOWN', message: 'gone', retryable: false })
    },
  })
  mountComponent(ExchangeView, { props: { id: 'gone' } })
  await waitForExchange('This exchange is not kept')
})

test('the head of an exchange names the objects of its path, and its menu copies their ids', async () => {
  const [topicid, noteid] = ['A07BE032-389C-4A95-8331-F2BF4FCFD2E7', '2F434250-51B5-49D9-8607-E9C650C67873']
  installFakeServiceProcess({
    'traffic.exchange': () =>
      createExchangeDetail({ row: { path: `/study-sets/${topicid}/tree?root=${noteid}`, endpoint: 'studySets.tree' } }),
  })
  const { default: ExchangeView } = await import('../../../renderer/panes/exchange/ExchangeView.vue')
  mountComponent(ExchangeView, { props: { seq: 1, compact: true } })
  await vi.waitFor(() => expect(document.querySelector('header h2 .request-path')).not.toBeNull())
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  for (const [name, id] of [
    ['Copy id: Study set', topicid],
    ['Copy id: Card', noteid],
  ] as const) {
    getByRole('button', 'More actions').click()
    await vi.waitFor(() => getByRole('menuitem', name).click())
    await vi.waitFor(() => expect(writeText).toHaveBeenLastCalledWith(id))
  }
})
