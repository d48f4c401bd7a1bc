import { PenLine } from '@lucide/vue'
import { definePlace } from '../../stores/places.ts'
import { useWriteSource } from './palette-source.ts'

export const place = definePlace({
  id: 'operations',
  install: useWriteSource,
  nav: { labelKey: 'operations.title', icon: PenLine, order: 50, to: '/operations' },
  routes: [
    {
      path: '/operations/:id?',
      name: 'operations',
      component: () => import('./OperationsPlace.vue'),
      meta: { titleKey: 'operations.title', inspector: false },
    },
  ],
})
