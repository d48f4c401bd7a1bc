import { deckCardsBody, emptyBody, titleBody } from '../resources/bodies.ts'
import { limits } from './limits.ts'
import { readBacks } from './read-back.ts'
import { writeResultSchema } from '../resources/common.ts'
import { deckCardListSchema, deckListSchema } from '../resources/library.ts'
import { inPath, inQuery, navigate, read, write } from './define.ts'
import { outcomes } from './outcomes.ts'

const deckId = inPath('deckId', 'Id of the deck; never that of a study set.', 'GET /decks')

/** Review decks (observed-0.49 §6). */
export const deckEndpoints = [
  read('study-sets', deckListSchema, {
    id: 'decks.list',
    concerns: ['decks'],
    list: { member: 'decks', unnamed: true },
    path: '/decks',
    summary: 'All decks.',
    parameters: [inQuery('query', 'Only titles that contain this.')],
    spec: 'observed §6',
  }),
  write('study-sets', titleBody, writeResultSchema, {
    id: 'decks.create',
    concerns: ['decks', 'studySets'],
    touches: [readBacks.deck, readBacks.studySet],
    path: '/decks',
    summary: 'Creates a deck.',
    outcome: outcomes.createDeck,
    spec: 'observed §6',
  }),
  read('study-sets', deckCardListSchema, {
    id: 'decks.cards',
    concerns: ['decks', 'cards', 'map'],
    list: { member: 'cards', unnamed: true },
    path: '/decks/{deckId}/cards',
    summary: 'Cards of a deck, and whether their sources still exist.',
    parameters: [deckId],
    spec: 'observed §6',
  }),
  write('study-sets', deckCardsBody, writeResultSchema, {
    id: 'decks.addCards',
    concerns: ['decks', 'cards', 'map'],
    touches: [readBacks.deck, readBacks.studySet],
    path: '/decks/{deckId}/cards',
    summary: 'Creates review cards from cards; an existing one is updated and rescheduled.',
    parameters: [deckId],
    limits: [{ member: 'cards', max: limits.deckCards }],
    dryRun: 'described',
    undo: 'documented',
    outcome: outcomes.deckCards,
    spec: 'observed §6',
  }),
  navigate('study-sets', emptyBody, writeResultSchema, {
    id: 'decks.open',
    path: '/decks/{deckId}/open',
    summary: 'Opens a deck on the user’s screen.',
    parameters: [deckId],
    spec: 'observed §6',
  }),
]
