import { deckCardsBodySchema, emptyBodySchema, titleBodySchema } from '../resources/body-schemas.ts'
import { documentedLimits } from '../documented-limits.ts'
import { readBacks } from './read-back.ts'
import { writeResultSchema } from '../resources/common.ts'
import { deckCardListSchema, deckListSchema } from '../resources/library.ts'
import { definePathParameter, defineQueryParameter, defineNavigation, defineRead, defineWrite } from './row-builders.ts'
import { writeOutcomes } from './outcomes.ts'

const deckIdParameter = definePathParameter('deckId', 'Id of the deck; never that of a study set.', 'GET /decks')

/** Described in observed-0.49 §6. */
export const deckEndpoints = [
  defineRead('study-sets', deckListSchema, {
    id: 'decks.list',
    dataKinds: ['decks'],
    list: { member: 'decks', isUnnamed: true },
    path: '/decks',
    summary: 'All decks.',
    parameters: [defineQueryParameter('query', 'Only titles that contain this.')],
    spec: 'observed §6',
  }),
  defineWrite('study-sets', titleBodySchema, writeResultSchema, {
    id: 'decks.create',
    dataKinds: ['decks', 'studySets'],
    touches: [readBacks.deck, readBacks.studySet],
    path: '/decks',
    summary: 'Creates a deck.',
    outcome: writeOutcomes.createDeck,
    spec: 'observed §6',
  }),
  defineRead('study-sets', deckCardListSchema, {
    id: 'decks.cards',
    dataKinds: ['decks', 'cards', 'map'],
    list: { member: 'cards', isUnnamed: true },
    path: '/decks/{deckId}/cards',
    summary: 'Cards of a deck, and whether their sources still exist.',
    parameters: [deckIdParameter],
    spec: 'observed §6',
  }),
  defineWrite('study-sets', deckCardsBodySchema, writeResultSchema, {
    id: 'decks.addCards',
    dataKinds: ['decks', 'cards', 'map'],
    touches: [readBacks.deck, readBacks.studySet],
    path: '/decks/{deckId}/cards',
    summary: 'Creates review cards from cards; an existing one is updated and rescheduled.',
    parameters: [deckIdParameter],
    limits: [{ member: 'cards', max: documentedLimits.deckCards }],
    dryRun: 'described',
    undo: 'documented',
    outcome: writeOutcomes.deckCards,
    spec: 'observed §6',
  }),
  defineNavigation('study-sets', emptyBodySchema, writeResultSchema, {
    id: 'decks.open',
    path: '/decks/{deckId}/open',
    summary: 'Opens a deck on the user’s screen.',
    parameters: [deckIdParameter],
    spec: 'observed §6',
  }),
]
