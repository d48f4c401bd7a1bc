import { definePlace } from '../../stores/places.ts'

export const place = definePlace({
  id: 'documents',
  routes: [
    {
      path: '/study-sets/:topicid/documents',
      name: 'documents',
      component: () => import('./DocumentsPlace.vue'),
      meta: { titleKey: 'documents.title', nav: 'library' },
    },
  ],
})
