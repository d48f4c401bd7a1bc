/**
 * The task bundles of the host: their list, and the files of the selected bundle. Sending commands
 * on a bundle belongs to the write sheet (`panes/write`). Start with `BundlesPlace.vue`.
 */
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'bundles',
  routes: [
    {
      path: '/bundles/:bundleId?',
      name: 'bundles',
      component: () => import('./BundlesPlace.vue'),
      meta: { titleKey: 'bundles.title', nav: 'library' },
    },
  ],
})
