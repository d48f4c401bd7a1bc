import { definePlace } from '../../stores/places.ts'
import { useForgetSeen } from './forget.ts'

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
