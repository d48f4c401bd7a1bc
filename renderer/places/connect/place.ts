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
