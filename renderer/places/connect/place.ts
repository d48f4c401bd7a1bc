/**
 * Hosts to connect to: discovery, profiles with their tokens, pairing. What the connected host
 * reports about itself belongs to `places/host`. Start with `ConnectPlace.vue`.
 */
import { Plug } from '@lucide/vue'
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'connect',
  nav: { labelKey: 'connect.title', icon: Plug, group: 'host', order: 1, to: '/connect', key: 'C' },
  routes: [
    {
      path: '/connect',
      name: 'connect',
      component: () => import('./ConnectPlace.vue'),
      meta: { titleKey: 'connect.title', inspector: false },
    },
  ],
})
