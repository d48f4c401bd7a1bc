import { cardOf, isGenerated, setOf, type DemoState } from './context.ts'
import type { Card } from './library/model.ts'
import { setIsFixed } from './reply.ts'

/** A card with everything below it, in the order of its study set. Throws `STUDY_SET_FIXED` for a generated one. */
export function branchOf(state: DemoState, root: Card): Card[] {
  if (isGenerated(state, root.topicid)) throw setIsFixed()
  const ids = new Set([root.noteid])
  return setOf(state, root.topicid).cards.filter((card) => {
    if (card.parent !== null && ids.has(card.parent)) ids.add(card.noteid)
    return ids.has(card.noteid)
  })
}

/**
 * The branches that a body's `noteIds` stand for: a card that lies below another named one goes with it. Throws
 * `NOTE_NOT_FOUND`, `STUDY_SET_FIXED`.
 */
export function namedBranches(state: DemoState, body: Readonly<Record<string, unknown>>): Card[][] {
  const roots = [...new Set(body['noteIds'] as string[])].map((id) => cardOf(state, id))
  const branches = roots.map((root) => branchOf(state, root))
  return branches.filter((branch, at) => {
    const [root] = branch
    return !branches.some((other, n) => n !== at && root !== undefined && other.includes(root))
  })
}

/** Puts a branch into a study set: at the end of what lies below `parent`, or at the end of all. */
export function insertBranch(state: DemoState, topicid: string, parent: Card | null, branch: readonly Card[]): void {
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

/** Takes cards out of their study set. */
export function removeCards(state: DemoState, gone: readonly Card[]): void {
  for (const card of gone) {
    const { cards } = setOf(state, card.topicid)
    cards.splice(cards.indexOf(card), 1)
    state.library.cards.delete(card.noteid)
  }
}
