/**
 * The mind map of a study set as a tree of cards. Reading and indexing the tree belongs to
 * `model/tree` and `stores/tree.ts`. Start with `TreePlace.vue`.
 */
import { definePlace } from '../../stores/place-definition.ts'
import { treeActions } from './tree-actions.ts'

export const place = definePlace({
  id: 'tree',
  actions: Object.values(treeActions),
  routes: [
    {
      path: '/study-sets/:topicid/tree',
      name: 'tree',
      component: () => import('./TreePlace.vue'),
      meta: { titleKey: 'tree.place', nav: 'library' },
    },
    {
      // The same component, so that the selection, the filter and the tree stay as they are.
      path: '/study-sets/:topicid/map',
      name: 'map',
      component: () => import('./TreePlace.vue'),
      meta: { titleKey: 'map.title', nav: 'library' },
    },
  ],
})
