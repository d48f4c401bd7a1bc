import { Server } from '@lucide/vue'
import { definePlace } from '../../stores/places.ts'

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
