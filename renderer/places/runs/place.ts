/** Two runs side by side, as one list of differences and as lanes. See `RunsPlace.vue`. */
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
