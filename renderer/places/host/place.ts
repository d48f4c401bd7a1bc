/**
 * Facts that the connected host reports about itself: status, routes, limits, guide and more.
 * Choosing and pairing hosts belongs to `places/connect`. Start with `HostPlace.vue`.
 */
import { Server } from '@lucide/vue'
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'host',
  nav: { labelKey: 'host.overview', icon: Server, group: 'host', order: 2, to: '/host', key: 'H' },
  routes: [
    {
      path: '/host',
      name: 'host',
      component: () => import('./HostPlace.vue'),
      meta: { titleKey: 'host.overview' },
    },
  ],
})
