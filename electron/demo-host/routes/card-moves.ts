import { randomUUID } from 'node:crypto'
import { assertOneSet, insertBranch, namedBranches, removeCards, targetOf } from '../branches.ts'
import { cardOf, setToChange, type DemoState, type Routes } from '../context.ts'
import type { DemoCard } from '../library/model.ts'
import { DemoError, json } from '../reply.ts'

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
