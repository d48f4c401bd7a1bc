import { TriangleAlert } from '@lucide/vue'
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'findings',
  nav: { labelKey: 'protocol.label', icon: TriangleAlert, group: 'debug', order: 3, to: '/findings', key: 'I' },
  routes: [
    {
      path: '/findings',
      name: 'findings',
      component: () => import('../../panes/findings/FindingsView.vue'),
      meta: { titleKey: 'protocol.label', inspector: false },
    },
  ],
})
