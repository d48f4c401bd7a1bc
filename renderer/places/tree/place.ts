import { definePlace } from '../../stores/places.ts'

export const place = definePlace({
  id: 'tree',
  routes: [
    {
      path: '/study-sets/:topicid/tree',
      name: 'tree',
      component: () => import('./TreePlace.vue'),
      meta: { titleKey: 'tree.place', nav: 'library' },
    },
  ],
})
