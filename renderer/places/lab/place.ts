/**
 * Probes that compare the host's behavior with the contract. The probes themselves run in the
 * service process; this place shows them. Start with `LabPlace.vue`.
 */
import { FlaskConical } from '@lucide/vue'
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'lab',
  nav: { labelKey: 'lab.title', icon: FlaskConical, group: 'prove', order: 2, to: '/lab', key: 'B' },
  routes: [
    {
      path: '/lab',
      name: 'lab',
      component: () => import('./LabPlace.vue'),
      meta: { titleKey: 'lab.title', inspector: false },
    },
  ],
})
