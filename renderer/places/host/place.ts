/**
 * What the connected host tells about itself: status, routes, limits, guide and more.
 * Choosing and pairing hosts belongs to `places/connect`.
 * Start with `HostPlace.vue`.
 */
import { Server } from '@lucide/vue'
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'host',
  nav: { labelKey: 'host.title', icon: Server, order: 20, to: '/host' },
  routes: [
    {
      path: '/host',
      name: 'host',
      component: () => import('./HostPlace.vue'),
      meta: { titleKey: 'host.title' },
    },
  ],
})
