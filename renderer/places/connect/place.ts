/**
 * Hosts to connect to: discovery, profiles with their tokens, pairing.
 * What the connected host tells about itself belongs to `places/host`.
 * Start with `ConnectPlace.vue`.
 */
import { Plug } from '@lucide/vue'
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'connect',
  nav: { labelKey: 'connect.title', icon: Plug, order: 10, to: '/connect' },
  routes: [
    {
      path: '/connect',
      name: 'connect',
      component: () => import('./ConnectPlace.vue'),
      meta: { titleKey: 'connect.title', inspector: false },
    },
  ],
})
