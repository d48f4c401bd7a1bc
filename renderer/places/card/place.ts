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
