/**
 * Differences between two snapshots of a study set, and the recorded call behind each change.
 * Snapshots are compared by `electron/services/snapshots`. Start with `ChangesPlace.vue`.
 */
import { definePlace } from '../../stores/place-definition.ts'
import { changeActions } from './change-actions.ts'

export const place = definePlace({
  id: 'changes',
  actions: Object.values(changeActions),
  routes: [
    {
      path: '/study-sets/:topicid/changes',
      name: 'changes',
      component: () => import('./ChangesPlace.vue'),
      meta: { titleKey: 'changes.title', nav: 'library' },
    },
  ],
})
