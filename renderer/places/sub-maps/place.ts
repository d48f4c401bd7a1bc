import { definePlace } from '../../stores/place-definition.ts'

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
