import { definePlace } from '../../stores/place-definition.ts'

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
