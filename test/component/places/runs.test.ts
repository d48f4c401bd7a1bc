import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  findWorkingLoad,
  toListedRunKey,
  toLoadRunKey,
  parseRun,
} from '../../../renderer/panes/recordings/run-sources.ts'
import RunsPlace from '../../../renderer/places/runs/RunsPlace.vue'
import { useRecordings } from '../../../renderer/stores/recordings.ts'
import { createRefusedError } from '../../../shared/errors.ts'
import { getMember } from '../../../shared/json/object.ts'
import type { ListedPair, RunComparisonSummary, RunLoad } from '../../../shared/ipc/recordings.ts'
import { createExchangeRow as createRow } from '../../support/vue/exchanges.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'

beforeEach(() => {
  // happy-dom has no layout: pretend there are 400 px of room.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 1400 })
})
afterEach(() => {
  document.body.innerHTML = ''
})

const createLoad = (load: number, changed: Partial<RunLoad> = {}): RunLoad => ({
  ...{ caller: 'opening-1', load, label: 'My panel', startedAt: load * 1_000, exchanges: 2, findings: 0 },
  ...changed,
})
const noDifferences = { differences: [], total: 0 }
const createPair = (changed: Partial<ListedPair>): ListedPair => ({
  ...{ before: 0, after: 0, beforeRow: createRow({ path: '/guide' }), afterRow: createRow({ path: '/guide' }) },
  ...{ kinds: [], responses: noDifferences, effects: noDifferences, notCompared: null },
  ...changed,
})
const pairs: readonly ListedPair[] = [
  createPair({}),
  createPair({ before: 1, after: null, afterRow: null, beforeRow: createRow({ path: '/decks' }), kinds: ['missing'] }),
  createPair({
    ...{ before: 2, after: 1, kinds: ['response', 'slower'] },
    beforeRow: createRow({ path: '/status', durationMs: 12 }),
    afterRow: createRow({ path: '/status', durationMs: 240 }),
    responses: { differences: [{ kind: 'value', pointer: '/title', expected: '"a"', actual: '"b"' }], total: 3 },
  }),
]
const summary: RunComparisonSummary = {
  ...{ comparison: 'c', pairCount: 3, sameCount: 1, areTextsComparable: true, haveForeignIds: false },
  counts: { missing: 1, extra: 0, request: 0, response: 1, effect: 0, order: 0, slower: 1 },
  ...{ notCompared: { limit: 2 }, ids: [{ before: 'X', after: 'Y' }], idCount: 1 },
  ...{
    before: { exchanges: 3, startedAt: 1, durationMs: 100 },
    after: { exchanges: 2, startedAt: 2, durationMs: 300 },
  },
}
const toBytes = (value: unknown): ArrayBuffer => new Uint8Array(Buffer.from(JSON.stringify(value))).buffer

const install = (changed: Partial<Parameters<typeof installFakeServiceProcess>[0]> = {}) =>
  installFakeServiceProcess({
    'recordings.list': () => ({ recordings: [] }),
    'recordings.loads': () => ({
      loads: [createLoad(3, { findings: 1 }), createLoad(2, { findings: 2 }), createLoad(1)],
    }),
    'recordings.compare': () => summary,
    'recordings.comparedPairs': () => ({ pairs }),
    'recordings.comparedBody': (input) => ({ meta: {}, bytes: toBytes({ title: getMember(input, 'side') }) }),
    ...changed,
  })
const listRows = (grid: string): string[] =>
  findAllByRole('row', undefined, getByRole('grid', grid))
    .map(({ textContent }) => textContent)
    .slice(1)

test('the newest load is compared with the last one without findings', async () => {
  const page = install()
  mountComponent(RunsPlace)
  await vi.waitFor(() => expect(listRows('Differences')).toHaveLength(2))
  const call = page.calls.find(({ method }) => method === 'recordings.compare')
  expect(call?.input).toMatchObject({ before: { filter: { load: 1 } }, after: { filter: { load: 3 } } })
  const [missing, response] = listRows('Differences')
  expect(missing).toContain('Missing')
  expect(response).toContain('Other response, Slower')
  expect(response).toContain('/title: "a" → "b", 2 more, from 12 ms to 240 ms')
  expect(document.body.textContent).toContain('2 of 3 requests differ')
  expect(document.body.textContent).toContain('2 responses were not compared beyond their status')
  expect(getByRole('list', 'Ids that count as the same').textContent).toContain('X = Y')
})

test('a kind filters the list, and a row shows both responses', async () => {
  install()
  mountComponent(RunsPlace, { route: '/recordings/compare' })
  await vi.waitFor(() => expect(listRows('Differences')).toHaveLength(2))
  getByRole('button', 'Filter').click()
  await vi.waitFor(() => getByRole('checkbox', 'Slower1'))
  getByRole('checkbox', 'Slower1').click()
  await vi.waitFor(() => expect(listRows('Differences')).toHaveLength(1))
  findAllByRole('row', undefined, getByRole('grid', 'Differences'))[1]?.click()
  await flushPromises()
  const detail = getByRole('region', 'Compared request')
  expect(getByRole('list', 'Differences of the response', detail).textContent).toContain('/title: "a" → "b"')
  await vi.waitFor(() => getByRole('tree', 'Responses compared', detail))
})

test('in lanes, equal requests stand side by side, and a missing one leaves a hole', async () => {
  install()
  mountComponent(RunsPlace, { route: '/recordings/compare' })
  await vi.waitFor(() => expect(listRows('Differences')).toHaveLength(2))
  getByRole('radio', 'Lanes').click()
  await vi.waitFor(() => expect(listRows('Lanes')).toHaveLength(3))
  expect(listRows('Lanes')[1]).toContain('no such request')
})

test('what Traffic lists is a run, and the listing before it is the one that worked', async () => {
  const page = install()
  const [first, second] = ['from=1000&to=2000&earlier=1', 'from=3000&to=4000&origin=panel&earlier=1'].map(
    toListedRunKey,
  )
  const mounted = mountComponent(RunsPlace)
  const recordings = useRecordings()
  recordings.addListedRun(first ?? '')
  await mounted.vm.$router.push({ query: { after: second ?? '' } })
  await vi.waitFor(() =>
    expect(page.calls.findLast(({ method }) => method === 'recordings.compare')?.input).toMatchObject({
      before: { filter: { from: 1_000, to: 2_000 } },
      after: { filter: { from: 3_000, to: 4_000, origins: ['panel'] } },
    }),
  )
  const group = [...document.querySelectorAll('optgroup')].find(({ label }) => label === 'Listings of Traffic')
  expect([...(group?.querySelectorAll('option') ?? [])].map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/–[^·]*$/),
    expect.stringMatching(/–.* · origin panel/),
  ])
  mounted.unmount()
})

test('equal runs, missing choices and failures are said', async () => {
  install({ 'recordings.compare': () => ({ ...summary, sameCount: 3 }) })
  const first = mountComponent(RunsPlace)
  await vi.waitFor(() => expect(document.body.textContent).toContain('Nothing differs in what was compared.'))
  first.unmount()
  install({ 'recordings.loads': () => ({ loads: [createLoad(1)] }) })
  const second = mountComponent(RunsPlace)
  await vi.waitFor(() => expect(document.body.textContent).toContain('Choose two runs'))
  second.unmount()
  install({
    'recordings.compare': () => {
      throw createRefusedError('RUN_TOO_LONG', 'A run has too many requests.')
    },
  })
  mountComponent(RunsPlace)
  await vi.waitFor(() => getByRole('alert'))
  expect(document.body.textContent).toContain('The runs could not be compared')
})

test('what is listed is copied as Markdown, in which no text of the host is markup', async () => {
  install({
    'recordings.compare': () => ({ ...summary, pairCount: 1, sameCount: 0 }),
    'recordings.comparedPairs': () => ({
      pairs: [createPair({ kinds: ['extra'], afterRow: createRow({ path: '/*|' }) })],
    }),
  })
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  mountComponent(RunsPlace)
  await vi.waitFor(() => expect(listRows('Differences')).toHaveLength(1))
  getByRole('button', 'Copy as Markdown').click()
  await vi.waitFor(() => expect(writeText).toHaveBeenCalled())
  const [markdown = ''] = writeText.mock.lastCall ?? []
  expect(markdown).toContain('# Two runs side by side')
  expect(markdown).toContain('| Extra | GET /\\*\\| |')
})

test('a run in the address is a recording, a load or everything since the start', () => {
  expect(parseRun('recording:r1')).toEqual({ from: 'list', id: 'r1' })
  expect(parseRun(toLoadRunKey({ caller: 'a:b', load: 2 }))).toEqual({
    ...{ from: 'traffic', filter: { caller: 'a:b', load: 2 } },
  })
  expect(parseRun('load:0:a')).toBeNull()
  expect(findWorkingLoad([createLoad(2), createLoad(1, { findings: 1 })], createLoad(2))?.load).toBe(1)
  expect(findWorkingLoad([createLoad(2), createLoad(1, { label: 'Folder' })], createLoad(2))?.load).toBe(1)
  const other = createLoad(1, { label: 'Other', caller: 'opening-2' })
  expect(findWorkingLoad([createLoad(2), other], createLoad(2))).toBeNull()
})
