import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { effectScope, markRaw, nextTick, ref } from 'vue'
import AppSelect from '../../../renderer/components/AppSelect.vue'
import { Forest } from '../../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../../renderer/model/tree/tree-reader.ts'
import { computeVisibleRows } from '../../../renderer/model/tree/tree-rows.ts'
import CardTree from '../../../renderer/places/tree/CardTree.vue'
import TreeToolbar from '../../../renderer/places/tree/TreeToolbar.vue'
import TreeChangeFilter from '../../../renderer/places/tree/TreeChangeFilter.vue'
import TreeChangeStatus from '../../../renderer/places/tree/TreeChangeStatus.vue'
import { useTree } from '../../../renderer/stores/tree.ts'
import { useTreeChangeReading, useTreeChanges } from '../../../renderer/stores/tree-changes.ts'
import type { IpcInput } from '../../../shared/ipc/index.ts'
import type { ChangeMark } from '../../../shared/ipc/snapshots.ts'
import type { SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'

beforeEach(() => {
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 260 })
})
afterEach(() => {
  document.body.innerHTML = ''
})

const createInfo = (id: number, changed: Partial<SnapshotInfo> = {}): SnapshotInfo => ({
  ...{ id, topicid: 'T', host: 'http://127.0.0.1:1', startedAt: id * 1000, endedAt: id * 1000, seenAt: id * 1000 },
  ...{ origin: { kind: 'place', label: null }, isRequested: false, cards: 4, detailed: 0, pages: 1, hostCount: 4 },
  ...{ gaps: [], isInTreeOrder: true, members: ['title'], bytes: 10, excerpts: null, palette: null },
  anomalies: { duplicates: 0, orphans: 0, circles: 0 },
  ...changed,
})
const write = { method: 'POST', path: '/notes/1/title', origin: { kind: 'panel' as const, label: 'Practice' } }
const nobody = { certainty: 'nobody' as const, writes: [] }
const defaultMarks: ChangeMark[] = [
  { noteid: '0', kinds: [], removed: 3, cause: null },
  { noteid: '1', kinds: ['renamed'], removed: 0, cause: { certainty: 'named', writes: [write] } },
  { noteid: '2', kinds: ['added'], removed: 0, cause: nobody },
  { noteid: 'elsewhere', kinds: ['moved'], removed: 0, cause: nobody },
]

/** A tree of siblings with the ids `0`, `1`, … that is complete. */
function openTree(count: number): void {
  const reader = new TreeReader('')
  const forest = markRaw(new Forest())
  reader.readNodes(Array.from({ length: count }, (_, index) => ({ noteid: `${index}`, title: `Card ${index}` })))
  forest.appendChunk(reader.linkNodes())
  forest.finishLoading(true)
  const tree = useTree()
  vi.spyOn(tree, 'indexesOf').mockImplementation((ids) =>
    Promise.resolve(Int32Array.from(ids, (id) => (Number(id) < count ? Number(id) : -1))),
  )
  tree.$patch((state) => {
    state.key = { topicid: 'T', root: '', sort: '', pageSize: 10 }
    state.status = 'complete'
    state.forest = forest
    state.rows = computeVisibleRows(forest, null)
    state.loadedCount = count
  })
}

/** Reads the marks of a tree, for a component that is already mounted or in a scope of its own. */
function watchChanges(snapshots: SnapshotInfo[], marks: readonly ChangeMark[] = defaultMarks, count = 4) {
  const service = installFakeServiceProcess({
    'snapshots.list': () => ({ snapshots: [...snapshots], isOnDisk: true }),
    'snapshots.marks': (input) => {
      const { before, after, offset } = input as IpcInput<'snapshots.marks'>
      const [beforeInfo, afterInfo] = [before, after].map((id) => snapshots.find((info) => info.id === id))
      const facts = { changes: marks.length, removedAtTop: 1, markCount: marks.length, offset }
      return { before: beforeInfo, after: afterInfo, ...facts, marks: marks.slice(offset, offset + 2) }
    },
  })
  const scope = effectScope()
  onTestFinished(() => scope.stop())
  const changes = useTreeChanges()
  openTree(count)
  const topicid = ref('T')
  const choice = changes.useChoice(topicid)
  const reading = scope.run(() => useTreeChangeReading(topicid))
  if (!reading) throw new Error('the scope has ended')
  const listReads = (): unknown[] =>
    service.calls.filter(({ method }) => method === 'snapshots.marks').map(({ input }) => input)
  return { service, changes, choice, reading, listReads }
}

const two = (): SnapshotInfo[] => [createInfo(2), createInfo(1)]

test('nothing is read before a snapshot is chosen, and marks are read in parts', async () => {
  setActivePinia(createPinia())
  const { changes, choice, reading, listReads } = watchChanges(two())
  await vi.waitFor(() => expect(reading.earlier.value.map(({ id }) => id)).toEqual([1]))
  await flushPromises()
  expect(listReads()).toEqual([])
  choice.value = { since: 1, isOnlyChanged: false }
  await vi.waitFor(() => expect(changes.marks).not.toBeNull())
  expect(listReads()).toEqual([
    { topicid: 'T', before: 1, after: 2, offset: 0, limit: 1000 },
    { topicid: 'T', before: 1, after: 2, offset: 2, limit: 1000 },
  ])
  expect([0, 1, 2, 3].map((node) => changes.getTone(node))).toEqual(['above', 'changed', 'added', 'none'])
  expect(changes.marks?.outside).toBe(1)
  expect([...changes.refineMatches(null)]).toEqual([0, 1, 2])
  expect([...changes.refineMatches(Uint32Array.of(3, 2))]).toEqual([2])
  choice.value = { since: null, isOnlyChanged: false }
  await vi.waitFor(() => expect(changes.marks).toBeNull())
  expect(changes.getTone(1)).toBe('none')
})

test('marks are read again after a new snapshot, and only those of this host can be chosen', async () => {
  setActivePinia(createPinia())
  const snapshots = [createInfo(3), createInfo(2, { host: 'http://127.0.0.1:2' }), createInfo(1)]
  const { service, changes, choice, reading } = watchChanges(snapshots)
  choice.value = { since: 1, isOnlyChanged: false }
  await vi.waitFor(() => expect(changes.marks?.after.id).toBe(3))
  expect(reading.earlier.value.map(({ id }) => id)).toEqual([1])
  snapshots.unshift(createInfo(4))
  service.push({ topic: 'snapshots.changed', payload: { topicid: 'T' } })
  await vi.waitFor(() => expect(changes.marks?.after.id).toBe(4))
})

test('the marks of one tree are not shown in another one', async () => {
  setActivePinia(createPinia())
  const { changes, choice } = watchChanges(two())
  choice.value = { since: 1, isOnlyChanged: false }
  await vi.waitFor(() => expect(changes.marks).not.toBeNull())
  useTree().status = 'loading'
  useTree().forest = markRaw(new Forest())
  await nextTick()
  expect(changes.marks).toBeNull()
})

test('a marked row says kind, time and cause, and how many cards below it are gone', async () => {
  mountComponent(CardTree, {
    props: { isShown: true, selected: -1, highlight: '', docName: () => '', editing: -1 },
  })
  const { changes, choice } = watchChanges(two())
  choice.value = { since: 1, isOnlyChanged: false }
  await vi.waitFor(() => expect(changes.marks).not.toBeNull())
  await nextTick()
  const rows = findAllByRole('treeitem')
  const describeRow = (row: HTMLElement | undefined): string | undefined =>
    document.getElementById(row?.getAttribute('aria-describedby') ?? '')?.textContent
  expect(rows.map(describeRow)).toEqual([
    expect.stringMatching(/^3 cards below it removed since .+$/),
    expect.stringMatching(/^Since .+: renamed · POST \/notes\/1\/title · panel: Practice$/),
    expect.stringMatching(/^Since .+: added · nobody that was recorded$/),
    undefined,
  ])
  expect(rows.map((row) => row.querySelector('.change')?.className)).toEqual([
    'change above',
    'change changed',
    'change added',
    undefined,
  ])
  expect(rows[0]?.textContent).toContain('−3')
  expect(rows[1]?.getAttribute('aria-label')).toBe('Card 1')
})

test('the filter offers earlier snapshots', () => {
  const view = mountComponent(TreeChangeFilter, {
    props: { earlier: [createInfo(1)], since: null, modelValue: { since: null, isOnlyChanged: false } },
  })
  const options = view.findAll('option').map((option) => option.text())
  expect(options[0]).toBe('Changed since …')
  expect(options[1]).toMatch(/^Changed since .*\d/)
  expect(findAllByRole('button')).toEqual([])
  view.findComponent(AppSelect).vm.$emit('update:modelValue', 1)
  expect(view.emitted('update:modelValue')?.at(-1)).toEqual([{ since: 1, isOnlyChanged: false }])
})

test('changed cards are one of the filters once a snapshot is chosen', async () => {
  const view = mountComponent(TreeToolbar, {
    props: {
      ...{ matchCount: null, matchIndex: -1, sort: '', flat: false, isMap: false, root: '', subMaps: [] },
      ...{ text: '', markFilters: new Set<never>(), onlyChanged: false, hasMarks: false, hasChanges: false },
    },
  })
  expect(findAllByRole('button', 'Filter')).toEqual([])
  await view.setProps({ hasChanges: true })
  getByRole('button', 'Filter').click()
  await vi.waitFor(() => getByRole('checkbox', 'Show only changed cards'))
  getByRole('checkbox', 'Show only changed cards').click()
  expect(view.emitted('update:onlyChanged')).toEqual([[true]])
  await view.setProps({ onlyChanged: true })
  getByRole('button', 'Remove Show only changed cards').click()
  expect(view.emitted('update:onlyChanged')?.at(-1)).toEqual([false])
})

test('the status counts changes, and says what the marks do not cover', async () => {
  const view = mountComponent(TreeChangeStatus, { props: { error: null } })
  const { changes, choice } = watchChanges([createInfo(2, { gaps: ['cancelled'] }), createInfo(1)])
  choice.value = { since: 1, isOnlyChanged: false }
  await vi.waitFor(() => expect(changes.marks).not.toBeNull())
  await nextTick()
  expect(getByRole('status').textContent).toMatch(/^4 cards changed since .+ · 1 removed at the top level · 1 not in/)
  expect(view.text()).toContain('“After” is not a whole snapshot: reading was cancelled.')
  expect(getByRole('link', 'Show the changes').getAttribute('href')).toBe('/study-sets/T/changes?before=1&after=2')
})
