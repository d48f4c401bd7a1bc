import { randomUUID } from 'node:crypto'
import { branchOf, insertBranch, namedBranches, removeCards } from '../branches.ts'
import { cardOf, cardToChange, isGenerated, setToChange, type DemoState, type Routes } from '../context.ts'
import type { Card } from '../library/model.ts'
import { DemoError, json, setIsFixed } from '../reply.ts'

/** The card below which others are put; null = the top of their own study set. Throws `NOTE_NOT_FOUND`. */
function parentOf(state: DemoState, body: Readonly<Record<string, unknown>>): Card | null {
  if (typeof body['parent'] !== 'string') return null
  const parent = cardOf(state, body['parent'])
  if (isGenerated(state, parent.topicid)) throw setIsFixed()
  return parent
}

/** Another card of the same content: nothing of it is shared with the first. */
function copied(branch: readonly Card[]): Card[] {
  const ids = new Map(branch.map((card) => [card.noteid, randomUUID().toUpperCase()]))
  return branch.map((card) => {
    const noteid = ids.get(card.noteid) ?? card.noteid
    const copy = structuredClone(card)
    const texts = copy.texts.map((text) => ({ ...text, noteid }))
    const parent = ids.get(card.parent ?? '') ?? card.parent
    return { ...copy, noteid, parent, texts, bands: [], practice: [], revision: 1 }
  })
}

/** The writes of observed-0.49 that change the shape of a mind map. */
export const cardMoveRoutes: Routes = {
  'notes.move'(state, { body }) {
    const parent = parentOf(state, body)
    const branches = namedBranches(state, body)
    if (parent && branches.some((branch) => branch.includes(parent))) {
      throw new DemoError(422, 'MOVE_INTO_ITSELF', 'A card cannot be moved below itself. Nothing was moved.')
    }
    for (const branch of branches) {
      const from = branch[0]?.topicid ?? ''
      removeCards(state, branch)
      insertBranch(state, parent?.topicid ?? from, parent, branch)
      setToChange(state, from)
      setToChange(state, parent?.topicid ?? from)
    }
    return json({ persisted: true, moved: branches.flat().length })
  },

  'notes.copy'(state, { body }) {
    const parent = parentOf(state, body)
    const copies = namedBranches(state, body).map((branch) => {
      const copy = copied(branch)
      const topicid = parent?.topicid ?? branch[0]?.topicid ?? ''
      insertBranch(state, topicid, parent, copy)
      setToChange(state, topicid)
      return copy
    })
    return json({
      persisted: true,
      noteIds: copies.flatMap(([root]) => root?.noteid ?? []),
      copied: copies.flat().length,
    })
  },

  'notes.delete'(state, { body }) {
    const gone = namedBranches(state, body).flat()
    for (const { topicid } of gone) setToChange(state, topicid)
    removeCards(state, gone)
    return json({ persisted: true, removed: gone.map(({ noteid }) => noteid) })
  },

  'notes.mergeBranch'(state, { params }) {
    const card = cardToChange(state, params['noteid'])
    const below = branchOf(state, card).slice(1)
    for (const other of below) {
      for (const { text, excerpt, kind } of other.texts) {
        const index = Math.max(-1, ...card.texts.map((one) => one.index)) + 1
        card.texts.push({ index, text, excerpt, kind, noteid: card.noteid })
      }
      card.parts.push(...other.parts)
    }
    card.revision += 1
    removeCards(state, below)
    const merged = below.map(({ noteid }) => noteid)
    return json({ persisted: true, noteid: card.noteid, merged, commentsRevision: String(card.revision) })
  },
}
