import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { effectScope, h } from 'vue'
import { TreeReader } from '../../renderer/model/tree/tree-reader.ts'
import NodeInspector from '../../renderer/places/tree/NodeInspector.vue'
import TreeBreadcrumb from '../../renderer/places/tree/TreeBreadcrumb.vue'
import { useTree } from '../../renderer/stores/tree.ts'
import { useInspector, useUi } from '../../renderer/stores/ui.ts'
import { createReadReply } from '../support/vue/read-reply.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../support/vue/mounting.ts'
import { createOperation, createSummary } from '../support/vue/operations.ts'
import { appInfo } from '../support/vue/states.ts'

const NODE = { noteid: 'N', title: 'Old' }
/** The tree of one card, which this thread reads. */
vi.mock('../../renderer/workers/tree-client.ts', () => ({
  TreeWorker: class {
    readonly #reader = new TreeReader('')
    stopFetching = (): void => undefined
    close = (): void => undefined
    indexOf = (): Promise<number> => Promise.resolve(0)
    readPage = () => {
      this.#reader.readNodes([NODE])
      return {
        head: Promise.resolve({ nodeTotal: 1, nextCursor: null, count: 1, findings: [] }),
        chunk: Promise.resolve(this.#reader.linkNodes()),
      }
    }
    call = (method: string): Promise<unknown> =>
      Promise.resolve({ setTitle: 0, getNodeSource: JSON.stringify(NODE) }[method] ?? null)
  },
}))

afterEach(() => {
  vi.unstubAllGlobals()
  document.body.innerHTML = ''
})

test('a renamed card has its new title wherever it is shown, and its entry says that it is older', async () => {
  vi.stubGlobal('requestIdleCallback', (run: (deadline: unknown) => void) => run({ timeRemaining: () => 50 }))
  const page = installFakeServiceProcess({
    'app.info': () => appInfo,
    'bridge.limits': () => ({}),
    'bridge.read': () => createReadReply('studySets.tree', '{}'),
    'operations.get': () => createOperation({}, { changes: [{ field: 'title', before: 'Old', after: 'New' }] }),
  })
  mountComponent({
    render: () =>
      useTree().loadedCount === 0 ? [] : [h(TreeBreadcrumb, { selected: 0 }), h(NodeInspector, { node: 0 })],
  })
  const tree = useTree()
  tree.open({ topicid: 'T', root: '', sort: '', pageSize: 10 })
  await vi.waitFor(() => expect(tree.status).toBe('complete'))
  const scope = effectScope()
  onTestFinished(() => scope.stop())
  scope.run(() =>
    useInspector(() => ({ component: NodeInspector, props: {}, title: tree.forest.formatTitle(0, 'untitled') })),
  )
  getByRole('tab', 'In the listing').click()
  await flushPromises()
  const read = () => [
    useUi().inspector?.title,
    getByRole('navigation').textContent,
    findAllByRole('note').map(({ textContent }) => textContent.trim()),
  ]
  expect(read()).toEqual(['Old', 'Old', []])
  const items = [createSummary('o-1', { noteid: 'N', createdAt: Date.now() })]
  const counts = { all: 1, unfinished: 0, unseen: 0 }
  page.push({ topic: 'operations.changed', payload: { items, removed: [], complete: true, ...counts } })
  await flushPromises()
  expect(read()).toEqual(['New', 'New', ['This entry was read before the card was renamed.']])
})
