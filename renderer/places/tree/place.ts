import { definePlace } from '../../stores/place-definition.ts'

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
