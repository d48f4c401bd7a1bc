import { assertOneSet, branchOf, childrenOf, removeCards } from './card-moves.ts'
import { cardOf, cardToChange, setOf, setToChange, type DemoState, type Routes } from '../state/context.ts'
import type { DemoCard } from '../library/model.ts'
import { json } from '../state/reply.ts'

type Body = Readonly<Record<string, unknown>>

/** An excerpt leaves its highlight, so its card is hidden and not gone. */
const outcomeOf = ({ texts, docBookmd5 }: DemoCard): 'deleted' | 'hidden' =>
  docBookmd5 !== null && texts.some(({ excerpt }) => excerpt) ? 'hidden' : 'deleted'

/** Number of review cards that are copies of these cards. */
const reviewCards = ({ library }: DemoState, ids: ReadonlySet<string>): number =>
  library.decks.reduce((sum, { cards }) => sum + cards.filter(({ sourceNoteId }) => ids.has(sourceNoteId)).length, 0)

/** The named cards, and the review cards among them. Throws `NOTE_NOT_FOUND`, `STUDY_SET_FIXED`, 422. */
function namedToDelete(state: DemoState, body: Body) {
  const wanted = [...new Set(body['noteIds'] as readonly string[])]
  const reviews = new Set(state.library.decks.flatMap(({ cards }) => cards.map(({ cardNoteId }) => cardNoteId)))
  const cards = wanted.filter((id) => !reviews.has(id)).map((id) => cardOf(state, id))
  for (const card of cards) branchOf(state, card)
  assertOneSet(cards)
  return { cards, reviews: wanted.filter((id) => reviews.has(id)) }
}

/** What a deletion would do (observed §5). */
export function plannedDeletion(state: DemoState, body: Body): object {
  const { cards, reviews } = namedToDelete(state, body)
  const cascaded = reviewCards(
    state,
    new Set(cards.filter((card) => outcomeOf(card) === 'deleted').map(({ noteid }) => noteid)),
  )
  return {
    wouldDelete: cards.length + reviews.length,
    cards: cards.map((card) => ({ noteid: card.noteid, title: card.title, outcome: outcomeOf(card) })),
    totalCascadeDeleted: cascaded,
    cascadesIntoStudySets: [],
  }
}

/** The cards that a merge takes in, in order; sub-maps stay. */
export function plannedMerge(state: DemoState, noteid: string | undefined, body: Body) {
  const card = cardOf(state, noteid)
  const below = body['recursive'] === true ? branchOf(state, card).slice(1) : childrenOf(state, card)
  return {
    card,
    merged: below.filter(({ subMapId }) => subMapId === null),
    skipped: below
      .filter(({ subMapId }) => subMapId !== null)
      .map((one) => ({ noteid: one.noteid, reason: 'sub_map_root' })),
  }
}

/** Removes cards from their study set and attaches their children to their parents. */
function takeOut(state: DemoState, cards: readonly DemoCard[]): { orphans: number; toTop: boolean } {
  let orphans = 0
  let toTop = false
  for (const card of cards) {
    for (const child of childrenOf(state, card)) {
      child.parent = card.parent
      orphans += 1
      toTop ||= card.parent === null
    }
    removeCards(state, [card])
  }
  return { orphans, toTop }
}

/** Deleting and merging: the writes that make cards disappear. */
export const cardRemovalRoutes = {
  'notes.delete'(state, { body }) {
    const { cards, reviews } = namedToDelete(state, body)
    const [first] = cards
    const descendants = cards.reduce((sum, card) => sum + branchOf(state, card).length - 1, 0)
    const outcomes = cards.map((card) => ({ noteid: card.noteid, outcome: outcomeOf(card) }))
    const { orphans, toTop } = takeOut(state, cards)
    const gone = new Set(outcomes.filter(({ outcome }) => outcome === 'deleted').map(({ noteid }) => noteid))
    for (const deck of state.library.decks) {
      deck.cards = deck.cards.filter(
        ({ cardNoteId, sourceNoteId }) => !gone.has(sourceNoteId) && !reviews.includes(cardNoteId),
      )
    }
    if (first) {
      setToChange(state, first.topicid)
      reorder(state, first.topicid)
    }
    return json({
      persisted: true,
      deleted: [...outcomes, ...reviews.map((noteid) => ({ noteid, outcome: 'deleted' }))],
      ...(orphans > 0 ? { childrenReattachedTo: toTop ? 'topLevel' : 'grandparent' } : {}),
      orphanedChildren: orphans,
      descendants,
      trashEnabled: false,
    })
  },

  'notes.mergeBranch'(state, { params, body }) {
    const { merged, skipped } = plannedMerge(state, params['noteid'], body)
    const card = cardToChange(state, params['noteid'])
    for (const other of merged) {
      for (const { text, excerpt, kind } of other.texts) {
        const index = Math.max(0, ...card.texts.map((one) => one.index)) + 1
        card.texts.push({ index, text, excerpt, kind, noteid: other.noteid })
      }
      card.parts.push(...other.parts.map((part) => ({ ...part, noteid: part.noteid ?? other.noteid })))
    }
    card.title = [card.title, ...merged.map(({ title }) => title)].filter(Boolean).join('; ')
    card.revision += 1
    takeOut(state, merged)
    reorder(state, card.topicid)
    return json({ persisted: true, notMergedCount: skipped.length, skipped })
  },
} satisfies Routes

/** Puts cards that were attached elsewhere after their new parent again. */
function reorder(state: DemoState, topicid: string): void {
  const set = setOf(state, topicid)
  const below = new Map<string | null, DemoCard[]>()
  for (const card of set.cards) below.set(card.parent, [...(below.get(card.parent) ?? []), card])
  const ordered: DemoCard[] = []
  const open = [...(below.get(null) ?? [])].reverse()
  for (let card = open.pop(); card; card = open.pop()) {
    ordered.push(card)
    open.push(...[...(below.get(card.noteid) ?? [])].reverse())
  }
  set.cards = ordered
}
