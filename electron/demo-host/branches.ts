import { cardOf, isGenerated, setOf, type DemoState } from './context.ts'
import type { DemoCard } from './library/model.ts'
import { DemoError, setIsFixed } from './reply.ts'

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
export function namedBranches(state: DemoState, noteIds: readonly string[]): Branches {
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
export function targetOf(state: DemoState, noteid: string): DemoCard {
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
