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
