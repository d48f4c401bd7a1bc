import { expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import TourCard from '../../../renderer/shell/TourCard.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useTour } from '../../../renderer/stores/tour.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

test('a tour step into a study set continues as soon as the library is read', async () => {
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
})
