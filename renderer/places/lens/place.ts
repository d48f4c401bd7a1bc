import { definePlace } from '../../stores/place-definition.ts'
import { watch } from 'vue'
import { useConnection } from '../../stores/connection.ts'
import { clearCachedResponses } from '../../stores/recent-responses.ts'

/** Forgets what was seen of one host as soon as another is connected. */
function useForgetSeen(): void {
  const connection = useConnection()
  watch(
    () => connection.state.profile?.id,
    () => clearCachedResponses(),
    { flush: 'sync' },
  )
}

export const place = definePlace({
  id: 'lens',
  install: useForgetSeen,
  routes: [
    {
      path: '/id/:id',
      name: 'lens',
      component: () => import('./LensPlace.vue'),
      meta: { titleKey: 'lens.place', nav: 'search', transient: true, inspector: false },
    },
  ],
})
