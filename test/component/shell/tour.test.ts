import { expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import TourCard from '../../../renderer/shell/TourCard.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useTour } from '../../../renderer/stores/tour.ts'
import { answered } from '../../support/vue/answers.ts'
import { byRole, outside, show } from '../../support/vue/page.ts'
import { connection } from '../../support/vue/states.ts'

test('a step into a study set is taken as soon as the library is read', async () => {
  const held = Promise.withResolvers<null>()
  outside({
    'settings.update': () => ({}),
    'bridge.read': async () => {
      await held.promise
      return answered('studySets.list', '{"studySets":[{"topicid":"T-1","title":"One"}]}')
    },
  })
  const page = show(TourCard)
  const at = (): string => page.vm.$router.currentRoute.value.fullPath
  useConnection().state = connection({ phase: 'online' })
  useTour().begin()
  await nextTick()
  byRole('button', 'Next').click()
  await vi.waitFor(() => expect(at()).toBe('/library'))
  held.resolve(null)
  await vi.waitFor(() => expect(at()).toBe('/study-sets/T-1/tree'))
})
