/**
 * Probes that compare the host's behavior with the contract.
 * The probes themselves run in the service process; this place shows them.
 * Start with `LabPlace.vue`.
 */
import { FlaskConical } from '@lucide/vue'
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'lab',
  nav: { labelKey: 'lab.title', icon: FlaskConical, order: 55, to: '/lab' },
  routes: [
    {
      path: '/lab',
      name: 'lab',
      component: () => import('./LabPlace.vue'),
      meta: { titleKey: 'lab.title', inspector: false },
    },
  ],
})
