import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { defineComponent, h, markRaw, shallowRef } from 'vue'
import { createMemoryHistory, createRouter, type Router } from 'vue-router'
import { Forest } from '../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../renderer/model/tree/tree-reader.ts'
import { observeNavigations } from '../../renderer/panes/late-navigation.ts'
import { useTreeSelection } from '../../renderer/places/tree/tree-selection.ts'
import { useTree } from '../../renderer/stores/tree.ts'
import { installFakeServiceProcess, mountComponent } from '../support/vue/mounting.ts'

const Page = { render: () => null }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  document.body.innerHTML = ''
})

/** A place whose code arrives when the test says so. */
function addSlowPlace(router: Router) {
  const { promise, resolve, reject } = Promise.withResolvers<typeof Page>()
  router.addRoute({ path: '/slow', component: () => promise })
  return { arrive: () => resolve(Page), fail: () => reject(new Error('offline')) }
}

async function mountTree() {
  installFakeServiceProcess({})
  let select: ReturnType<typeof useTreeSelection>['select'] | undefined
  const Tree = defineComponent({
    setup() {
      ;({ select } = useTreeSelection(shallowRef(null)))
      return () => h('div')
    },
  })
  const router = mountComponent(Tree).vm.$router
  router.addRoute({ path: '/study-sets/:topicid/tree', name: 'tree', component: Page })
  const forest = markRaw(new Forest())
  const reader = new TreeReader('')
  reader.readNodes([{ noteid: 'N1', parent: null, title: 'Neck' }])
  forest.appendChunk(reader.linkNodes())
  useTree().$patch((state) => {
    state.forest = forest
    state.loadedCount = forest.count
  })
  await router.push('/study-sets/T/tree')
  return { router, selectPassing: (node: number) => void select?.(node, true) }
}

test('who selects a card in the tree and leaves at once is not sent back', async () => {
  const { router, selectPassing } = await mountTree()
  const slow = addSlowPlace(router)
  selectPassing(0)
  const leaving = router.push('/slow')
  await vi.advanceTimersByTimeAsync(1_000)
  slow.arrive()
  expect(await leaving).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(router.currentRoute.value.fullPath).toBe('/slow')
})

test('the address gets the selected card after the way to another place failed', async () => {
  const { router, selectPassing } = await mountTree()
  router.onError(() => undefined)
  const slow = addSlowPlace(router)
  selectPassing(0)
  const leaving = router.push('/slow')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(router.currentRoute.value.query['note']).toBeUndefined()
  slow.fail()
  await expect(leaving).rejects.toThrow('offline')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(router.currentRoute.value.query['note']).toBe('N1')
})

test('a navigation is seen from its beginning, and ends once the newest has ended', async () => {
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/:any(.*)*', component: Page }] })
  await router.push('/')
  const slow = addSlowPlace(router)
  const navigations = observeNavigations(router)
  const { begunCount } = navigations
  expect(navigations).toEqual({ begunCount, pending: null })
  void router.push('/slow')
  await flushPromises()
  expect(navigations).toMatchObject({ begunCount: begunCount + 1, pending: { path: '/slow' } })
  const newest = router.push('/newest')
  slow.arrive()
  await newest
  expect(navigations).toEqual({ begunCount: begunCount + 2, pending: null })
  expect(router.currentRoute.value.path).toBe('/newest')
})
