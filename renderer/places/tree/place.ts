/**
 * The mind map of a study set as a tree of cards.
 * Reading and indexing the tree belongs to `model/tree` and `stores/tree.ts`.
 * Start with `TreePlace.vue`.
 */
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
