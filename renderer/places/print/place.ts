import { definePlace } from '../../stores/places.ts'

export const place = definePlace({
  id: 'print',
  routes: [
    {
      path: '/study-sets/:topicid/print',
      name: 'print',
      component: () => import('./PrintPlace.vue'),
      meta: { titleKey: 'print.title', nav: 'library' },
    },
  ],
})
