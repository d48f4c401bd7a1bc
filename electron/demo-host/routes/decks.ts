import { randomUUID } from 'node:crypto'
import { cardOf, deckOf, findCard, type DemoState, type Routes } from '../state/context.ts'
import { DemoError, json } from '../state/reply.ts'

interface Wanted {
  readonly sourceNoteId: string
  readonly question?: string
  readonly questionContentId?: string
  readonly title?: string
}

/** The front of a review card: its own words, a part of the card, or what the host makes of it. Throws 422. */
export function questionOf(state: DemoState, { sourceNoteId, question, questionContentId }: Wanted): object {
  const card = cardOf(state, sourceNoteId)
  if (question !== undefined && questionContentId !== undefined) {
    throw new DemoError(422, 'BODY_INVALID', 'question and questionContentId are mutually exclusive. Nothing was done.')
  }
  if (questionContentId === undefined) return { kind: question === undefined ? 'automatic' : 'custom_text' }
  const partIndex = card.parts.findIndex(({ contentId }) => contentId === questionContentId)
  const part = card.parts[partIndex]
  if (!part) throw new DemoError(422, 'CONTENT_NOT_FOUND', 'The card has no such content. Nothing was done.')
  return { kind: part.kind, partIndex, questionIndex: 0, hasImageOcclusions: (part.masks ?? []).length > 0 }
}

/** Review decks (observed §6). */
export const deckRoutes = {
  'decks.list': ({ library }, { query }) =>
    json({
      decks: library.decks
        .filter(({ title }) => title.toLowerCase().includes((query['query'] ?? '').toLowerCase()))
        .map(({ deckId, title, cards, lastModifiedAt }) => ({
          deckId,
          title,
          cardCount: cards.length,
          lastModifiedAt,
        })),
    }),

  'decks.cards'(state, { params }) {
    const deck = deckOf(state, params['deckId'])
    const cards = deck.cards.map((card) => ({ ...card, sourceAlive: findCard(state, card.sourceNoteId) !== null }))
    return json({ deckId: deck.deckId, cards })
  },

  'decks.create'(state, { body }) {
    const deck = {
      deckId: randomUUID().toUpperCase(),
      title: String(body['title']),
      lastModifiedAt: new Date().toISOString(),
      cards: [],
    }
    state.library.decks.push(deck)
    return json({ persisted: true, deckId: deck.deckId, isDeck: true })
  },

  'decks.addCards'(state, { params, body }) {
    const deck = deckOf(state, params['deckId'])
    const wanted = body['cards'] as Wanted[]
    for (const one of wanted) questionOf(state, one)
    const cards = wanted.map(({ sourceNoteId, title }) => {
      const known = deck.cards.find((card) => card.sourceNoteId === sourceNoteId)
      const shown = title ?? cardOf(state, sourceNoteId).title
      if (known) {
        known.title = shown
        return { sourceNoteId, cardNoteId: known.cardNoteId, updatedExisting: true }
      }
      const cardNoteId = randomUUID().toUpperCase()
      deck.cards.push({ cardNoteId, sourceNoteId, title: shown })
      return { sourceNoteId, cardNoteId, updatedExisting: false }
    })
    deck.lastModifiedAt = new Date().toISOString()
    return json({ persisted: true, cards })
  },

  'decks.open'(state, { params }) {
    const { deckId } = deckOf(state, params['deckId'])
    Object.assign(state.open, { topicid: deckId, bookmd5: null, noteid: null })
    return json({})
  },
} satisfies Routes
