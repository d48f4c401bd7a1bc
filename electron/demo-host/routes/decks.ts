import { randomUUID } from 'node:crypto'
import { foldText } from '../../../shared/format/text-folding.ts'
import { getCard, getDeck, findCard, type DemoState, type RouteTable } from '../state/context.ts'
import { DemoError, createJsonReply } from '../state/reply.ts'

interface ReviewCardRequest {
  readonly sourceNoteId: string
  readonly question?: string
  readonly questionContentId?: string
  readonly title?: string
}

/** A given text or part, or the host's own. @throws 422 for both, or a part the card lacks */
export function describeReviewQuestion(
  state: DemoState,
  { sourceNoteId, question, questionContentId }: ReviewCardRequest,
): object {
  const card = getCard(state, sourceNoteId)
  if (question !== undefined && questionContentId !== undefined) {
    throw new DemoError(422, 'BODY_INVALID', 'question and questionContentId are mutually exclusive. Nothing was done.')
  }
  if (questionContentId === undefined) return { kind: question === undefined ? 'automatic' : 'custom_text' }
  const partIndex = card.parts.findIndex(({ contentId }) => contentId === questionContentId)
  const part = card.parts[partIndex]
  if (!part) throw new DemoError(422, 'CONTENT_NOT_FOUND', 'The card has no such content. Nothing was done.')
  return { kind: part.kind, partIndex, questionIndex: 0, hasImageOcclusions: (part.masks ?? []).length > 0 }
}

export const deckRoutes = {
  'decks.list': ({ library }, { query }) =>
    createJsonReply({
      decks: library.decks
        .filter(({ title }) => foldText(title).includes(foldText(query['query'] ?? '')))
        .map(({ deckId, title, cards, lastModifiedAt }) => ({
          deckId,
          title,
          cardCount: cards.length,
          lastModifiedAt,
        })),
    }),

  'decks.cards'(state, { params }) {
    const deck = getDeck(state, params['deckId'])
    const cards = deck.cards.map((card) => ({ ...card, sourceAlive: findCard(state, card.sourceNoteId) !== null }))
    return createJsonReply({ deckId: deck.deckId, cards })
  },

  'decks.create'(state, { body }) {
    const deck = {
      deckId: randomUUID().toUpperCase(),
      title: String(body['title']),
      lastModifiedAt: new Date().toISOString(),
      cards: [],
    }
    state.library.decks.push(deck)
    return createJsonReply({ persisted: true, deckId: deck.deckId, isDeck: true })
  },

  'decks.addCards'(state, { params, body }) {
    const deck = getDeck(state, params['deckId'])
    const requests = body['cards'] as ReviewCardRequest[]
    for (const request of requests) describeReviewQuestion(state, request)
    const cards = requests.map(({ sourceNoteId, title }) => {
      const existing = deck.cards.find((card) => card.sourceNoteId === sourceNoteId)
      const cardTitle = title ?? getCard(state, sourceNoteId).title
      if (existing) {
        existing.title = cardTitle
        return { sourceNoteId, cardNoteId: existing.cardNoteId, updatedExisting: true }
      }
      const cardNoteId = randomUUID().toUpperCase()
      deck.cards.push({ cardNoteId, sourceNoteId, title: cardTitle })
      return { sourceNoteId, cardNoteId, updatedExisting: false }
    })
    deck.lastModifiedAt = new Date().toISOString()
    return createJsonReply({ persisted: true, cards })
  },

  'decks.open'(state, { params }) {
    const { deckId } = getDeck(state, params['deckId'])
    Object.assign(state.openState, { topicid: deckId, bookmd5: null, noteid: null })
    return createJsonReply({})
  },
} satisfies RouteTable
