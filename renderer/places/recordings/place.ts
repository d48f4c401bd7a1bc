/**
 * The recordings that the program knows: what they hold, whether they are what was signed, and what
 * can be done with them. The dialog that saves one is in `panes/recordings`.
 * Start with `RecordingsPlace.vue`.
 */
import { FileArchive } from '@lucide/vue'
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'recordings',
  nav: { labelKey: 'recordings.title', icon: FileArchive, group: 'prove', order: 3, to: '/recordings', key: 'R' },
  routes: [
    {
      path: '/recordings/:id?',
      name: 'recordings',
      component: () => import('./RecordingsPlace.vue'),
      meta: { titleKey: 'recordings.title', inspector: false },
    },
  ],
})
