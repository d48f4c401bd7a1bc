import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { effectScope } from 'vue'
import { usePanelCalls } from '../../../renderer/places/panel/panel-calls.ts'
import TimelineLanes from '../../../renderer/places/panel/TimelineLanes.vue'
import TimelineTab from '../../../renderer/places/panel/TimelineTab.vue'
import { usePanel } from '../../../renderer/stores/panel.ts'
import type { SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import { createExchangeRow } from '../../support/vue/exchanges.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createPanelNote, createPanelState } from '../../support/vue/panel-state.ts'

beforeEach(() => {
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetHeight', { configurable: true, value: 400 })
})
afterEach(() => {
  document.body.innerHTML = ''
})

const createCallRow = (seq: number) =>
  createExchangeRow({
    ...{
      seq,
      id: `id-${seq}`,
      startedAt: 1_000 + seq * 10,
      durationMs: 5,
      path: `/notes/N${seq}`,
      template: '/notes/{id}',
    },
    origin: { kind: 'panel', label: 'Practice', caller: 'opening-1', load: 1 },
  })
const createSummary = (exchangeId: string) => ({
  ...{ exchangeId, at: 1_000 + Number(exchangeId.slice(3)) * 10, durationMs: 5, via: 'host.api', decision: 'passed' },
  ...{ onlyOutside: false, pageId: null, frame: null, loader: null },
})

/** Installs a service process with this number of calls of the panel's newest load. */
function installCalls(
  count: number,
  change: (summary: ReturnType<typeof createSummary>) => object = (summary) => summary,
  responses: Parameters<typeof installFakeServiceProcess>[0] = {},
) {
  const page = installFakeServiceProcess({
    'panel.get': () => createPanelState(),
    'traffic.find': () => ({
      meta: { total: count, newest: count, incomplete: false, scattered: false },
      bytes: Uint32Array.from({ length: count }, (_, index) => count - index).buffer,
    }),
    'traffic.rows': (input) => ({ rows: (input as { seqs: number[] }).seqs.map(createCallRow) }),
    'panel.calls': (input) => ({
      calls: (input as { exchangeIds: string[] }).exchangeIds.map((id) => change(createSummary(id))),
    }),
    ...responses,
  })
  return {
    listReadIds: () =>
      page.calls
        .filter(({ method }) => method === 'panel.calls')
        .flatMap(({ input }) => (input as { exchangeIds: string[] }).exchangeIds),
  }
}
const mountTimeline = () => mountComponent(TimelineTab, { props: { state: createPanelState(), span: null } })

test('the timeline reads every call that it draws, and tells how many it leaves out', async () => {
  const { listReadIds } = installCalls(450)
  mountTimeline()
  await vi.waitFor(() => expect(new Set(listReadIds()).size).toBeGreaterThanOrEqual(400))
  expect(document.body.textContent).toContain('50 earlier calls are neither drawn nor compared')
})

test('the timeline draws the calls right after the last click, and tells how many later ones it leaves out', async () => {
  const clickedAt = 1_505
  const { listReadIds } = installCalls(500, undefined, {
    'panel.notes': () => ({
      notes: [
        createPanelNote({ seq: 1, kind: 'load', at: 1_000 }),
        createPanelNote({ seq: 2, kind: 'click', at: clickedAt }),
      ],
      dropped: 0,
    }),
    'traffic.find': (input) => {
      const { from = 0 } = (input as { filter: { from?: number } }).filter
      const seqs = Array.from({ length: 500 }, (_, index) => 500 - index).filter((seq) => 1_000 + seq * 10 >= from)
      return {
        meta: { total: seqs.length, newest: 500, incomplete: false, scattered: false },
        bytes: Uint32Array.from(seqs).buffer,
      }
    },
  })
  mountTimeline()
  await vi.waitFor(() => expect(listReadIds()).toContain('id-51'))
  await vi.waitFor(() => expect(document.body.textContent).toContain('50 later calls are neither drawn nor compared'))
  expect(document.body.textContent).toContain('50 earlier calls are neither drawn nor compared')
})

test('the timeline names a call whose response came after that of a later one, and no fault', async () => {
  installCalls(2, (summary) => (summary.exchangeId === 'id-1' ? { ...summary, durationMs: 100 } : summary))
  mountTimeline()
  await vi.waitFor(() => expect(document.body.textContent).toContain('1 call answered in another order'))
  expect(getByRole('grid', 'Events').textContent).toContain('(a race if one replaces the other)')
})

test('the times of the axis have one unit', () => {
  const getTimes = (to: number): string[] => {
    const props = { events: [], bounds: { from: 0, to }, crossedCalls: new Map(), selected: null, span: null }
    const lanes = mountComponent(TimelineLanes, { props })
    return lanes.findAll('text').map((time) => time.text())
  }
  expect(getTimes(10_600)).toEqual(['0 s', '5.3 s', '10.6 s'])
  expect(getTimes(800)).toEqual(['0 ms', '400 ms', '800 ms'])
})

test('the timeline lists a call with its status, and its path as sent', async () => {
  installCalls(2, undefined, {
    'traffic.rows': (input) => ({
      rows: (input as { seqs: number[] }).seqs.map((seq) => ({ ...createCallRow(seq), status: seq === 1 ? 200 : 422 })),
    }),
  })
  mountTimeline()
  const listCells = (column: string): string[] => {
    const header = getByRole('columnheader', column).getAttribute('aria-colindex')
    return findAllByRole('gridcell')
      .filter((cell) => cell.getAttribute('aria-colindex') === header)
      .map(({ textContent }) => textContent.trim())
  }
  await vi.waitFor(() => expect(listCells('Status')).toEqual(['200', '422']))
  expect(listCells('What')).toEqual(['GET /notes/N1', 'GET /notes/N2'])
})

const createSnapshot = (id: number, startedAt: number, endedAt: number): SnapshotInfo => ({
  ...{ id, topicid: 'T-1', host: createExchangeRow().host, startedAt, endedAt, seenAt: endedAt },
  ...{ excerpts: null, palette: null },
  ...{ origin: { kind: 'panel', label: null }, isRequested: false, cards: 1, detailed: 0, pages: 1, hostCount: 1 },
  ...{ gaps: [], isInTreeOrder: true, members: [], anomalies: { duplicates: 0, orphans: 0, circles: 0 }, bytes: 10 },
})

test('the timeline offers each study set that the writes of the load may have changed', async () => {
  const row = { ...createCallRow(2), method: 'POST', path: '/notes/N2/title', endpoint: 'notes.title' }
  const snapshots = ['T-1', 'T-2'].flatMap((topicid) =>
    [createSnapshot(3, 5_000, 5_010), createSnapshot(1, 1_010, 1_015)].map((info) => ({ ...info, topicid })),
  )
  installCalls(1, undefined, {
    'traffic.rows': () => ({ rows: [{ ...row, seq: 1 }] }),
    'snapshots.list': () => ({ snapshots, isOnDisk: true }),
  })
  mountTimeline()
  const name = 'What changed between the snapshots before and after it'
  await vi.waitFor(() => getByRole('button', name).click())
  await vi.waitFor(() =>
    expect(findAllByRole('menuitem').map(({ textContent }) => textContent.trim())).toEqual(['T-1', 'T-2']),
  )
  findAllByRole('menuitem')[1]?.click()
  await vi.waitFor(() => expect(findAllByRole('menuitem')).toEqual([]))
})

test('the timeline links to what changed between the snapshots around the writes of the load', async () => {
  const rows = [
    { ...createCallRow(1), path: '/study-sets/T-1/tree?limit=9', endpoint: 'studySets.tree' },
    { ...createCallRow(2), method: 'POST', path: '/notes/N2/title', endpoint: 'notes.title' },
  ]
  // The panel's own listing, which ended before its write, and one that was read later.
  const snapshots = [createSnapshot(3, 5_000, 5_010), createSnapshot(1, 1_010, 1_015)]
  installCalls(2, undefined, {
    'traffic.rows': (input) => ({ rows: rows.filter(({ seq }) => (input as { seqs: number[] }).seqs.includes(seq)) }),
    'snapshots.list': () => ({ snapshots, isOnDisk: true }),
  })
  mountTimeline()
  await vi.waitFor(() =>
    expect(getByRole('link', 'What changed between the snapshots before and after it').getAttribute('href')).toBe(
      '/study-sets/T-1/changes?before=1&after=3',
    ),
  )
})

test('the timeline tells that the console lines of the load begin later', async () => {
  installCalls(1)
  mountTimeline()
  const panel = usePanel()
  const missing = 'The first console lines of this load were cleared or not kept'
  await flushPromises()
  await vi.waitFor(() => expect(document.body.textContent).toContain('1 event'))
  expect(document.body.textContent).not.toContain(missing)
  panel.areNotesRead = true
  await flushPromises()
  expect(document.body.textContent).toContain(missing)
  panel.notes = [createPanelNote({ kind: 'load' })]
  await flushPromises()
  expect(document.body.textContent).not.toContain(missing)
})

test('calls that the full cache has dropped are read again', async () => {
  const { listReadIds } = installCalls(3_000)
  mountTimeline()
  const scope = effectScope()
  const calls = scope.run(() =>
    usePanelCalls(
      () => '',
      () => null,
    ),
  )
  if (!calls) throw new Error('no calls')
  await vi.waitFor(() => expect(calls.getCall('id-3000')).toBeDefined())
  for (let first = 0; first < 3_000; first += 150) {
    calls.setVisibleRange(first, first + 150)
    await vi.waitFor(() => expect(calls.getCall(`id-${3_000 - first}`)).toBeDefined())
  }
  calls.setVisibleRange(0, 150)
  await vi.waitFor(() => expect(calls.getCall('id-3000')).toBeDefined())
  expect(listReadIds().filter((id) => id === 'id-3000').length).toBeGreaterThan(1)
  scope.stop()
})
