import { definePlace } from '../../stores/place-definition.ts'
import { watch } from 'vue'
import { useConnection } from '../../stores/connection.ts'
import { clearCachedResponses } from '../../stores/recent-responses.ts'

/** Cached responses belong to one host, so they are cleared as soon as another is connected. */
function useCacheClearing(): void {
  const connection = useConnection()
  watch(
    () => connection.state.profile?.id,
    () => clearCachedResponses(),
    { flush: 'sync' },
  )
}

export const place = definePlace({
  id: 'lens',
  install: useCacheClearing,
  routes: [
    {
      path: '/id/:id',
      name: 'lens',
      component: () => import('./LensPlace.vue'),
      meta: { titleKey: 'lens.place', nav: 'search', transient: true, inspector: false },
    },
  ],
})
