import { randomUUID } from 'node:crypto'
import { cardOf, setToChange, type DemoState, type Routes, isGenerated, setOf } from '../state/context.ts'
import type { DemoCard } from '../library/model.ts'
import { DemoError, json, setIsFixed } from '../state/reply.ts'

interface Batch {
  readonly noteIds: readonly string[]
  readonly targetParentNoteId: string
  readonly mode?: 'reference' | 'clone'
}

/** The single batch that is the body itself, or the batches in its list. */
function batchesOf(body: Readonly<Record<string, unknown>>, list: 'moves' | 'copies'): readonly Batch[] {
  return (body[list] ?? [body]) as readonly Batch[]
}

/** Only ordinary cards can be copied or copied to, not a deck's review cards. */
function assertCopyable(state: DemoState, ids: readonly string[]): void {
  const review = new Set(state.library.decks.flatMap(({ cards }) => cards.map(({ cardNoteId }) => cardNoteId)))
  const found = ids.find((id) => review.has(id))
  if (found !== undefined) throw new DemoError(422, 'IS_A_REVIEW_CARD', `${found.slice(0, 60)} is a review card.`)
}

/** What would be copied, computed like the copy itself (observed §5). */
export function plannedCopies(state: DemoState, body: Readonly<Record<string, unknown>>) {
  return batchesOf(body, 'copies').map(({ noteIds, targetParentNoteId, mode }) => {
    assertCopyable(state, [...noteIds, targetParentNoteId])
    const parent = targetOf(state, targetParentNoteId)
    return { parent, mode, ...namedBranches(state, noteIds) }
  })
}

export const skippedOf = (ids: readonly string[]): object[] =>
  ids.map((noteid) => ({ noteid, reason: 'covered_by_selected_ancestor' }))

/** Another card with the same content, sharing nothing with the first. */
function copied(branch: readonly DemoCard[]): DemoCard[] {
  const ids = new Map(branch.map((card) => [card.noteid, randomUUID().toUpperCase()]))
  return branch.map((card) => {
    const noteid = ids.get(card.noteid) ?? card.noteid
    const copy = structuredClone(card)
    const texts = copy.texts.map((text) => ({ ...text, noteid }))
    const parent = ids.get(card.parent ?? '') ?? card.parent
    return { ...copy, noteid, parent, texts, bands: [], practice: [], revision: 1 }
  })
}

/** Moving and copying branches of mind maps. */
export const cardMoveRoutes = {
  'notes.move'(state, { body }) {
    const planned = batchesOf(body, 'moves').map(({ noteIds, targetParentNoteId }) => {
      const parent = targetOf(state, targetParentNoteId)
      const { branches } = namedBranches(state, noteIds)
      assertOneSet([parent, ...branches.flatMap(([root]) => root ?? [])])
      if (branches.some((branch) => branch.includes(parent))) {
        throw new DemoError(422, 'MOVE_INTO_ITSELF', 'A card cannot be moved below itself. Nothing was moved.')
      }
      return { parent, branches }
    })
    for (const { parent, branches } of planned) {
      for (const branch of branches) {
        removeCards(state, branch)
        insertBranch(state, parent.topicid, parent, branch)
      }
      setToChange(state, parent.topicid)
    }
    return json({ persisted: true })
  },

  'notes.copy'(state, { body }) {
    const planned = plannedCopies(state, body)
    const skipped = planned.flatMap(({ covered }) => covered)
    for (const { parent, branches, mode } of planned) {
      const set = setToChange(state, parent.topicid)
      for (const branch of branches) {
        const from = cardOf(state, branch[0]?.noteid).topicid
        const copy = copied(branch)
        insertBranch(state, parent.topicid, parent, copy)
        if (mode === 'reference') for (const [at, one] of copy.entries()) one.parts = branch[at]?.parts ?? one.parts
        // The copied cards' documents join the other study set.
        if (from === parent.topicid) continue
        const books = copy.flatMap(({ docBookmd5 }) => docBookmd5 ?? [])
        set.documents.push(...new Set(books.filter((id) => !set.documents.includes(id))))
      }
    }
    return json({ persisted: true, ...(skipped.length > 0 ? { skipped: skippedOf(skipped) } : {}) })
  },
} satisfies Routes

/** A card with everything below it, in the order of its study set. Throws `STUDY_SET_FIXED` for a generated one. */
export function branchOf(state: DemoState, root: DemoCard): DemoCard[] {
  if (isGenerated(state, root.topicid)) throw setIsFixed()
  const ids = new Set([root.noteid])
  return setOf(state, root.topicid).cards.filter((card) => {
    if (card.parent !== null && ids.has(card.parent)) ids.add(card.noteid)
    return ids.has(card.noteid)
  })
}

/** Branches by their roots, and the named cards that are below another named one and go with it. */
interface Branches {
  readonly branches: readonly DemoCard[][]
  readonly covered: readonly string[]
}

/** Throws `NOTE_NOT_FOUND`, `STUDY_SET_FIXED`. */
function namedBranches(state: DemoState, noteIds: readonly string[]): Branches {
  const roots = [...new Set(noteIds)].map((id) => cardOf(state, id))
  const all = roots.map((root) => branchOf(state, root))
  const isCovered = (root: DemoCard): boolean => all.some((branch) => branch[0] !== root && branch.includes(root))
  return {
    branches: all.filter(([root]) => root !== undefined && !isCovered(root)),
    covered: roots.filter(isCovered).map(({ noteid }) => noteid),
  }
}

/** The direct children of a card. */
export function childrenOf(state: DemoState, { noteid, topicid }: DemoCard): DemoCard[] {
  if (isGenerated(state, topicid)) throw setIsFixed()
  return setOf(state, topicid).cards.filter(({ parent }) => parent === noteid)
}

/** An ordinary card that others can be put below. Throws `NOTE_NOT_FOUND`, `STUDY_SET_FIXED`. */
function targetOf(state: DemoState, noteid: string): DemoCard {
  const target = cardOf(state, noteid)
  if (isGenerated(state, target.topicid)) throw setIsFixed()
  return target
}

/** Refuses cards of more than one study set. Throws 422. */
export function assertOneSet(cards: readonly DemoCard[]): void {
  if (new Set(cards.map(({ topicid }) => topicid)).size < 2) return
  throw new DemoError(422, 'DIFFERENT_STUDY_SETS', 'The cards belong to more than one study set. Nothing was done.')
}

/** Inserts a branch into a study set: at the end of everything below `parent`, or at the very end. */
export function insertBranch(
  state: DemoState,
  topicid: string,
  parent: DemoCard | null,
  branch: readonly DemoCard[],
): void {
  const { cards } = setOf(state, topicid)
  const last = parent ? branchOf(state, parent).at(-1) : undefined
  cards.splice(last ? cards.indexOf(last) + 1 : cards.length, 0, ...branch)
  const [root] = branch
  if (root) root.parent = parent?.noteid ?? null
  for (const card of branch) {
    card.topicid = topicid
    state.library.cards.set(card.noteid, card)
  }
}

/** Removes cards from their study set. */
export function removeCards(state: DemoState, gone: readonly DemoCard[]): void {
  for (const card of gone) {
    const { cards } = setOf(state, card.topicid)
    cards.splice(cards.indexOf(card), 1)
    state.library.cards.delete(card.noteid)
  }
}
