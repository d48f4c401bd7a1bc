import { FileCheck2 } from '@lucide/vue'
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'contract',
  nav: { labelKey: 'contractPlace.title', icon: FileCheck2, group: 'host', order: 3, to: '/contract', key: 'K' },
  routes: [
    {
      path: '/contract',
      name: 'contract',
      component: () => import('./ContractPlace.vue'),
      meta: { titleKey: 'contractPlace.title' },
    },
    {
      path: '/contract/compare',
      name: 'contract-compare',
      component: () => import('./ComparePlace.vue'),
      meta: { titleKey: 'contractPlace.compare.title', inspector: false },
    },
    {
      path: '/contract/past',
      name: 'contract-past',
      component: () => import('./PastPlace.vue'),
      meta: { titleKey: 'contractPlace.past.title', inspector: false },
    },
  ],
})
