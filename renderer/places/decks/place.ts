import { definePlace } from '../../stores/places.ts'

export const place = definePlace({
  id: 'decks',
  routes: [
    {
      path: '/decks/:deckId',
      name: 'deck',
      component: () => import('./DeckPlace.vue'),
      meta: { titleKey: 'decks.title', nav: 'library' },
    },
  ],
})
