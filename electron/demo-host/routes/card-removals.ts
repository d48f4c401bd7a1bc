import { assertSameStudySet, collectBranch, getChildren, removeCards } from './card-moves.ts'
import {
  getCard,
  getCardForChange,
  getStudySet,
  getStudySetForChange,
  type DemoState,
  type RouteTable,
} from '../state/context.ts'
import type { DemoCard } from '../library/model.ts'
import { createJsonReply } from '../state/reply.ts'

type Body = Readonly<Record<string, unknown>>

/** The highlight of an excerpt stays in the document, so its card is only hidden. */
const getDeletionOutcome = ({ texts, docBookmd5 }: DemoCard): 'deleted' | 'hidden' =>
  docBookmd5 !== null && texts.some(({ excerpt }) => excerpt) ? 'hidden' : 'deleted'

const countReviewCards = ({ library }: DemoState, ids: ReadonlySet<string>): number =>
  library.decks.reduce((sum, { cards }) => sum + cards.filter(({ sourceNoteId }) => ids.has(sourceNoteId)).length, 0)

/** Returns cards and review cards. @throws NOTE_NOT_FOUND, STUDY_SET_FIXED, 422 (several sets) */
function getCardsToDelete(state: DemoState, body: Body) {
  const ids = [...new Set(body['noteIds'] as readonly string[])]
  const reviews = new Set(state.library.decks.flatMap(({ cards }) => cards.map(({ cardNoteId }) => cardNoteId)))
  const cards = ids.filter((id) => !reviews.has(id)).map((id) => getCard(state, id))
  for (const card of cards) collectBranch(state, card)
  assertSameStudySet(cards)
  return { cards, reviews: ids.filter((id) => reviews.has(id)) }
}

/** Computes what a deletion would do, without deleting (observed §5). */
export function planDeletion(state: DemoState, body: Body): object {
  const { cards, reviews } = getCardsToDelete(state, body)
  const cascaded = countReviewCards(
    state,
    new Set(cards.filter((card) => getDeletionOutcome(card) === 'deleted').map(({ noteid }) => noteid)),
  )
  return {
    wouldDelete: cards.length + reviews.length,
    cards: cards.map((card) => ({ noteid: card.noteid, title: card.title, outcome: getDeletionOutcome(card) })),
    totalCascadeDeleted: cascaded,
    cascadesIntoStudySets: [],
  }
}

/** Finds the cards that would be merged into a card, in order; cards of sub-maps are not merged. */
export function planMerge(state: DemoState, noteid: string | undefined, body: Body) {
  const card = getCard(state, noteid)
  const below = body['recursive'] === true ? collectBranch(state, card).slice(1) : getChildren(state, card)
  return {
    card,
    merged: below.filter(({ subMapId }) => subMapId === null),
    skipped: below
      .filter(({ subMapId }) => subMapId !== null)
      .map((root) => ({ noteid: root.noteid, reason: 'sub_map_root' })),
  }
}

/** Removes cards from their study set. The children of a removed card move to its parent. */
function extractCards(state: DemoState, cards: readonly DemoCard[]): { orphans: number; isTopLevel: boolean } {
  let orphans = 0
  let isMovedToTop = false
  for (const card of cards) {
    for (const child of getChildren(state, card)) {
      child.parent = card.parent
      orphans += 1
      isMovedToTop ||= card.parent === null
    }
    removeCards(state, [card])
  }
  return { orphans, isTopLevel: isMovedToTop }
}

export const cardRemovalRoutes = {
  'notes.delete'(state, { body }) {
    const { cards, reviews } = getCardsToDelete(state, body)
    const [first] = cards
    const descendants = cards.reduce((sum, card) => sum + collectBranch(state, card).length - 1, 0)
    const outcomes = cards.map((card) => ({ noteid: card.noteid, outcome: getDeletionOutcome(card) }))
    const { orphans, isTopLevel } = extractCards(state, cards)
    const deletedIds = new Set(outcomes.filter(({ outcome }) => outcome === 'deleted').map(({ noteid }) => noteid))
    for (const deck of state.library.decks) {
      deck.cards = deck.cards.filter(
        ({ cardNoteId, sourceNoteId }) => !deletedIds.has(sourceNoteId) && !reviews.includes(cardNoteId),
      )
    }
    if (first) {
      getStudySetForChange(state, first.topicid)
      reorder(state, first.topicid)
    }
    return createJsonReply({
      persisted: true,
      deleted: [...outcomes, ...reviews.map((noteid) => ({ noteid, outcome: 'deleted' }))],
      ...(orphans > 0 ? { childrenReattachedTo: isTopLevel ? 'topLevel' : 'grandparent' } : {}),
      orphanedChildren: orphans,
      descendants,
      trashEnabled: false,
    })
  },

  'notes.mergeBranch'(state, { params, body }) {
    const { merged, skipped } = planMerge(state, params['noteid'], body)
    const card = getCardForChange(state, params['noteid'])
    for (const other of merged) {
      for (const { text, excerpt, kind } of other.texts) {
        const index = Math.max(0, ...card.texts.map((entry) => entry.index)) + 1
        card.texts.push({ index, text, excerpt, kind, noteid: other.noteid })
      }
      card.parts.push(...other.parts.map((part) => ({ ...part, noteid: part.noteid ?? other.noteid })))
    }
    card.title = [card.title, ...merged.map(({ title }) => title)].filter(Boolean).join('; ')
    card.revision += 1
    extractCards(state, merged)
    reorder(state, card.topicid)
    return createJsonReply({ persisted: true, notMergedCount: skipped.length, skipped })
  },
} satisfies RouteTable

/** Restores the preorder after cards were attached to new parents. */
function reorder(state: DemoState, topicid: string): void {
  const set = getStudySet(state, topicid)
  const childrenByParent = new Map<string | null, DemoCard[]>()
  for (const card of set.cards) childrenByParent.set(card.parent, [...(childrenByParent.get(card.parent) ?? []), card])
  const ordered: DemoCard[] = []
  const stack = [...(childrenByParent.get(null) ?? [])].reverse()
  for (let card = stack.pop(); card; card = stack.pop()) {
    ordered.push(card)
    stack.push(...[...(childrenByParent.get(card.noteid) ?? [])].reverse())
  }
  set.cards = ordered
}
