/**
 * One card: overview, parts, bands, content, rendering and raw JSON, in tabs. The short view of a
 * card in the inspector is `panes/card`. Start with `CardPlace.vue`.
 */
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'card',
  routes: [
    {
      path: '/notes/:noteid',
      name: 'note',
      component: () => import('./CardPlace.vue'),
      meta: { titleKey: 'card.card', nav: 'library' },
    },
  ],
})
