import { definePlace } from '../../stores/places.ts'

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
