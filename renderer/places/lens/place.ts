/**
 * Resolves any id to what it may mean, and shows where it was seen. Collecting and searching
 * sightings belongs to `model/lens` and `stores/id-lookup.ts`. Start with `LensPlace.vue`.
 */
import { definePlace } from '../../stores/place-definition.ts'
import { watch } from 'vue'
import { useConnection } from '../../stores/connection.ts'
import { clearCachedResponses } from '../../stores/recent-responses.ts'

/** Clears the cached responses when another host is connected, because they belong to one host. */
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
