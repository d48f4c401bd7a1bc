import { definePlace } from '../../stores/place-definition.ts'

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
