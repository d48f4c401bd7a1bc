/**
 * Two runs side by side: recordings, or loads of panels, as one list of differences and as lanes.
 * Start with `RunsPlace.vue`.
 */
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'runs',
  routes: [
    {
      path: '/recordings/compare',
      name: 'runs',
      component: () => import('./RunsPlace.vue'),
      meta: { titleKey: 'runs.title', nav: 'recordings', inspector: false },
    },
  ],
})
