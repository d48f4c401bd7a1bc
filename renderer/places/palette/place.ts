/**
 * The color palette of a study set, with contrasts. The palette of commands is part of the shell.
 * Start with `PalettePlace.vue`.
 */
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'palette',
  routes: [
    {
      path: '/study-sets/:topicid/palette',
      name: 'palette',
      component: () => import('./PalettePlace.vue'),
      meta: { titleKey: 'swatches.title', nav: 'library' },
    },
  ],
})
