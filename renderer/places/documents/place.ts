/**
 * The documents, snapshots and notebooks of a study set. The contents of a document belong to
 * `places/pages`, `excerpts` and `outline`. Start with `DocumentsPlace.vue`.
 */
import { definePlace } from '../../stores/place-definition.ts'

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
