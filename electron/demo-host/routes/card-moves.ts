import { randomUUID } from 'node:crypto'
import {
  getCard,
  getStudySetForChange,
  type DemoState,
  type RouteTable,
  isGeneratedStudySet,
  getStudySet,
} from '../state/context.ts'
import type { DemoCard } from '../library/model.ts'
import { DemoError, createJsonReply, createFixedSetError } from '../state/reply.ts'

interface Batch {
  readonly noteIds: readonly string[]
  readonly targetParentNoteId: string
  readonly mode?: 'reference' | 'clone'
}

/** Reads the batches of a body: a list of them, or the body itself as the only one. */
function parseBatches(body: Readonly<Record<string, unknown>>, list: 'moves' | 'copies'): readonly Batch[] {
  return (body[list] ?? [body]) as readonly Batch[]
}

/** Refuses to copy review cards of a deck, which can also not be the target of a copy. */
function assertCopyable(state: DemoState, ids: readonly string[]): void {
  const review = new Set(state.library.decks.flatMap(({ cards }) => cards.map(({ cardNoteId }) => cardNoteId)))
  const reviewId = ids.find((id) => review.has(id))
  if (reviewId !== undefined) throw new DemoError(422, 'IS_A_REVIEW_CARD', `${reviewId.slice(0, 60)} is a review card.`)
}

/** Computes what a copy would do, without copying (observed §5). */
export function planCopies(state: DemoState, body: Readonly<Record<string, unknown>>) {
  return parseBatches(body, 'copies').map(({ noteIds, targetParentNoteId, mode }) => {
    assertCopyable(state, [...noteIds, targetParentNoteId])
    const parent = getTarget(state, targetParentNoteId)
    return { parent, mode, ...getBranches(state, noteIds) }
  })
}

export function toSkippedEntries(ids: readonly string[]): object[] {
  return ids.map((noteid) => ({ noteid, reason: 'covered_by_selected_ancestor' }))
}

/** Copies a branch. The copies get new ids and share no objects with the originals. */
function copyBranch(branch: readonly DemoCard[]): DemoCard[] {
  const ids = new Map(branch.map((card) => [card.noteid, randomUUID().toUpperCase()]))
  return branch.map((card) => {
    const noteid = ids.get(card.noteid) ?? card.noteid
    const copy = structuredClone(card)
    const texts = copy.texts.map((text) => ({ ...text, noteid }))
    const parent = ids.get(card.parent ?? '') ?? card.parent
    return { ...copy, noteid, parent, texts, bands: [], practice: [], revision: 1 }
  })
}

export const cardMoveRoutes = {
  'notes.move'(state, { body }) {
    const planned = parseBatches(body, 'moves').map(({ noteIds, targetParentNoteId }) => {
      const parent = getTarget(state, targetParentNoteId)
      const { branches } = getBranches(state, noteIds)
      assertSameStudySet([parent, ...branches.flatMap(([root]) => root ?? [])])
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
      getStudySetForChange(state, parent.topicid)
    }
    return createJsonReply({ persisted: true })
  },

  'notes.copy'(state, { body }) {
    const planned = planCopies(state, body)
    const skipped = planned.flatMap(({ covered }) => covered)
    for (const { parent, branches, mode } of planned) {
      const set = getStudySetForChange(state, parent.topicid)
      for (const branch of branches) {
        const sourceTopicid = getCard(state, branch[0]?.noteid).topicid
        const copy = copyBranch(branch)
        insertBranch(state, parent.topicid, parent, copy)
        if (mode === 'reference')
          for (const [index, card] of copy.entries()) card.parts = branch[index]?.parts ?? card.parts
        // The copied cards' documents join the other study set.
        if (sourceTopicid === parent.topicid) continue
        const books = copy.flatMap(({ docBookmd5 }) => docBookmd5 ?? [])
        set.documents.push(...new Set(books.filter((id) => !set.documents.includes(id))))
      }
    }
    return createJsonReply({ persisted: true, ...(skipped.length > 0 ? { skipped: toSkippedEntries(skipped) } : {}) })
  },
} satisfies RouteTable

/** A card and all below it, in the set's order. @throws STUDY_SET_FIXED for a generated set */
export function collectBranch(state: DemoState, root: DemoCard): DemoCard[] {
  if (isGeneratedStudySet(state, root.topicid)) throw createFixedSetError()
  const ids = new Set([root.noteid])
  return getStudySet(state, root.topicid).cards.filter((card) => {
    if (card.parent !== null && ids.has(card.parent)) ids.add(card.noteid)
    return ids.has(card.noteid)
  })
}

/** Ids of named cards that are already in the branch of another named card are listed apart. */
interface Branches {
  readonly branches: readonly DemoCard[][]
  readonly covered: readonly string[]
}

/** @throws NOTE_NOT_FOUND for an unknown id, STUDY_SET_FIXED for the generated study set. */
function getBranches(state: DemoState, noteIds: readonly string[]): Branches {
  const roots = [...new Set(noteIds)].map((id) => getCard(state, id))
  const all = roots.map((root) => collectBranch(state, root))
  const isCovered = (root: DemoCard): boolean => all.some((branch) => branch[0] !== root && branch.includes(root))
  return {
    branches: all.filter(([root]) => root !== undefined && !isCovered(root)),
    covered: roots.filter(isCovered).map(({ noteid }) => noteid),
  }
}

export function getChildren(state: DemoState, { noteid, topicid }: DemoCard): DemoCard[] {
  if (isGeneratedStudySet(state, topicid)) throw createFixedSetError()
  return getStudySet(state, topicid).cards.filter(({ parent }) => parent === noteid)
}

/** @throws NOTE_NOT_FOUND for an unknown id, STUDY_SET_FIXED for the generated study set */
function getTarget(state: DemoState, noteid: string): DemoCard {
  const target = getCard(state, noteid)
  if (isGeneratedStudySet(state, target.topicid)) throw createFixedSetError()
  return target
}

/** @throws 422 for cards of more than one study set. */
export function assertSameStudySet(cards: readonly DemoCard[]): void {
  if (new Set(cards.map(({ topicid }) => topicid)).size < 2) return
  throw new DemoError(422, 'DIFFERENT_STUDY_SETS', 'The cards belong to more than one study set. Nothing was done.')
}

/** Inserts a branch after the last card below `parent`, or at the end of the set. */
export function insertBranch(
  state: DemoState,
  topicid: string,
  parent: DemoCard | null,
  branch: readonly DemoCard[],
): void {
  const { cards } = getStudySet(state, topicid)
  const last = parent ? collectBranch(state, parent).at(-1) : undefined
  cards.splice(last ? cards.indexOf(last) + 1 : cards.length, 0, ...branch)
  const [root] = branch
  if (root) root.parent = parent?.noteid ?? null
  for (const card of branch) {
    card.topicid = topicid
    state.library.cards.set(card.noteid, card)
  }
}

export function removeCards(state: DemoState, removed: readonly DemoCard[]): void {
  for (const card of removed) {
    const { cards } = getStudySet(state, card.topicid)
    cards.splice(cards.indexOf(card), 1)
    state.library.cards.delete(card.noteid)
  }
}
