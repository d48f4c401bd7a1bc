import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { markRaw, nextTick } from 'vue'
import HashtagsPlace from '../../../renderer/places/hashtags/HashtagsPlace.vue'
import TreeNotices from '../../../renderer/places/tree/TreeNotices.vue'
import ReadingList from '../../../renderer/places/tree/ReadingList.vue'
import VirtualTree from '../../../renderer/components/tree/VirtualTree.vue'
import { Forest } from '../../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../../renderer/model/tree/tree-reader.ts'
import { computeVisibleRows } from '../../../renderer/model/tree/tree-rows.ts'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useTree } from '../../../renderer/stores/tree.ts'
import { readHostLimits } from '../../../shared/bridge/host-limits.ts'
import type { ReadInput } from '../../../shared/ipc/bridge.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { appInfo, createConnectionState } from '../../support/vue/states.ts'

beforeEach(() => {
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 900 })
})
afterEach(() => {
  document.body.innerHTML = ''
})

const names: Readonly<Record<string, string>> = { A: 'Atlas.pdf', B: 'Botany.pdf' }
const docName = (book: string): string => names[book] ?? book

function listing(docs: boolean): Forest {
  const reader = new TreeReader('')
  const forest = markRaw(new Forest())
  const node = (noteid: string, parent: string | null, docBookmd5: string, docPage: number) => ({
    noteid,
    parent,
    title: `Card ${noteid}`,
    ...(docs ? { docBookmd5, docPage } : {}),
  })
  reader.readNodes([node('1', null, 'A', 2), node('2', '1', 'B', 2), node('3', '1', 'B', 7)])
  forest.appendChunk(reader.linkNodes())
  forest.finishLoading(true)
  return forest
}

function hold(forest: Forest, sortConfirmed: boolean): void {
  const tree = useTree()
  tree.$patch((state) => {
    state.key = { topicid: 'T', root: '', sort: 'document', pageSize: 10 }
    state.status = 'complete'
    state.forest = forest
    state.rows = computeVisibleRows(forest, null)
    state.loadedCount = forest.count
    state.flags = { ...state.flags, isSortConfirmed: sortConfirmed }
  })
}

test('the reading list groups cards of all branches by document, in the order of the listing', async () => {
  installFakeServiceProcess({})
  const page = mountComponent(ReadingList, { props: { selected: -1, docName } })
  hold(listing(true), true)
  await flushPromises()
  const rows = findAllByRole('row', undefined, getByRole('grid', 'Cards in reading order')).slice(1)
  expect(rows.map(({ textContent }) => textContent.replace(/\s+/g, ' ').trim())).toEqual([
    'Atlas.pdf1',
    'Card 12',
    'Botany.pdf2',
    'Card 22Card 1',
    'Card 37Card 1',
  ])
  rows[4]?.click()
  expect(page.emitted('select')).toEqual([[2]])
})

test('a row of the tree names the document of its page', () => {
  const forest = listing(true)
  for (let node = 0; node < forest.count; node += 1) forest.expanded[node] = 1
  const rows = computeVisibleRows(forest, null)
  mountComponent(VirtualTree, {
    props: { forest, rows, filter: null, label: 'Cards', selected: -1, highlight: '', getDocumentName: docName },
  })
  expect(getByRole('treeitem', 'Card 2').textContent).toContain('p. 2 · Botany.pdf')
})

test('a host that ignores the document order is reported, but not one that only fails to confirm it', async () => {
  installFakeServiceProcess({})
  mountComponent(TreeNotices)
  const getText = (): string => document.body.textContent
  hold(listing(false), false)
  await nextTick()
  expect(getText()).toContain('The host ignored the document order')
  hold(listing(true), false)
  await nextTick()
  expect(getText()).not.toContain('The host ignored the document order')
  hold(listing(false), true)
  await nextTick()
  expect(getText()).not.toContain('The host ignored the document order')
})

test.each([
  ['where the capabilities list it there', ['withNotes', 'limit'], 1],
  ['and nowhere else', ['limit'], 0],
])('withNotes is sent to the card listing %s', async (_, query, times) => {
  const capabilities = {
    routes: [
      { method: 'GET', path: '/study-sets/{id}/tree', query },
      { method: 'GET', path: '/study-sets/{id}/hashtags' },
    ],
  }
  const { calls } = installFakeServiceProcess({
    'app.info': () => appInfo,
    'bridge.limits': () => readHostLimits(null),
    'bridge.read': (input) => {
      const { endpoint } = input as ReadInput
      const bodies: Readonly<Record<string, object>> = {
        'capabilities.get': capabilities,
        'studySets.hashtags': { hashtags: ['heart'], nodes: [{ path: 'heart', directCardCount: 1 }] },
        'studySets.tree': { topicid: 'T', nodes: [], hashtags: { heart: ['N-1'] } },
        'notes.batchGet': { items: [{ noteid: 'N-1', title: 'Left ventricle' }] },
      }
      return createReadReply(endpoint, JSON.stringify(bodies[endpoint] ?? {}))
    },
  })
  const page = mountComponent(HashtagsPlace, { route: '/study-sets/:topicid/hashtags' })
  await page.vm.$router.push('/study-sets/T/hashtags?tag=heart')
  useConnection().state = createConnectionState()
  const listRequests = (): ReadInput[] =>
    calls.map(({ input }) => input as ReadInput).filter(({ endpoint }) => endpoint === 'studySets.tree')
  await vi.waitFor(() => expect(getByRole('treeitem', 'heart')).toBeDefined())
  if (times > 0) await vi.waitFor(() => expect(document.body.textContent).toContain('Left ventricle'))
  await flushPromises()
  expect(listRequests().map((input) => input.query)).toEqual(times > 0 ? [{ withNotes: 1 }] : [])
})
