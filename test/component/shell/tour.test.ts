import { expect, test, vi } from 'vitest'
import { markRaw, nextTick } from 'vue'
import { Forest } from '../../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../../renderer/model/tree/tree-reader.ts'
import TourCard from '../../../renderer/shell/TourCard.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useTour } from '../../../renderer/stores/tour.ts'
import { useTree } from '../../../renderer/stores/tree.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

test('a tour step continues as soon as the library, or the tree, is read', async () => {
  const deferred = Promise.withResolvers<null>()
  installFakeServiceProcess({
    'settings.update': () => ({}),
    'bridge.read': async () => {
      await deferred.promise
      return createReadReply('studySets.list', '{"studySets":[{"topicid":"T-1","title":"One"}]}')
    },
  })
  const page = mountComponent(TourCard)
  const getCurrentPath = (): string => page.vm.$router.currentRoute.value.fullPath
  useConnection().state = createConnectionState({ phase: 'online' })
  useTour().begin()
  await nextTick()
  getByRole('button', 'Next').click()
  await vi.waitFor(() => expect(getCurrentPath()).toBe('/library'))
  deferred.resolve(null)
  await vi.waitFor(() => expect(getCurrentPath()).toBe('/study-sets/T-1/tree'))

  getByRole('button', 'Next').click()
  await nextTick()
  expect(getCurrentPath()).toBe('/study-sets/T-1/tree')

  const reader = new TreeReader('')
  const forest = markRaw(new Forest())
  reader.readNodes([{ noteid: 'N-1', parent: null, title: 'First' }])
  forest.appendChunk(reader.linkNodes())
  useTree().$patch((state) => {
    state.key = { topicid: 'T-1', root: '', sort: 'document', pageSize: 10 }
    state.forest = forest
    state.loadedCount = forest.count
  })
  await vi.waitFor(() => expect(getCurrentPath()).toBe('/notes/N-1?topicid=T-1'))
})
