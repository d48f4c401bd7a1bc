import { definePlace } from '../../stores/places.ts'

export const place = definePlace({
  id: 'sub-maps',
  routes: [
    {
      path: '/study-sets/:topicid/sub-maps',
      name: 'sub-maps',
      component: () => import('./SubMapsPlace.vue'),
      meta: { titleKey: 'subMaps.title', nav: 'library' },
    },
  ],
})
