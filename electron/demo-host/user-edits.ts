import { insertBranch, removeCards } from './routes/card-moves.ts'
import { createRandom } from './library/random.ts'
import type { DemoCard } from './library/model.ts'
import { getCardForChange, type DemoState } from './state/context.ts'

/** What the user did to a card. */
export interface UserEdit {
  readonly noteid: string
  readonly topicid: string
  readonly kind: 'renamed' | 'recoloured' | 'tags' | 'moved'
}

const editKinds = ['renamed', 'recoloured', 'tags', 'moved'] as const satisfies readonly UserEdit['kind'][]

/**
 * Creates the simulated user, who edits cards of the open study set as a person in front of the
 * host does: no request tells of it. The same seed gives the same edits of the same library.
 * @returns does the next edit; null if there is no card that it can be done to
 */
export function createUserEdits(state: DemoState, seed: number): () => UserEdit | null {
  const random = createRandom(seed)
  let count = 0
  const choose = <T>(values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)]

  /** Puts a card without children below another one. */
  function move(cards: readonly DemoCard[]): DemoCard | null {
    const parentIds = new Set(cards.map(({ parent }) => parent))
    const card = choose(cards.filter(({ noteid }) => !parentIds.has(noteid)))
    const target = choose(cards.filter((entry) => entry !== card && entry.noteid !== card?.parent))
    if (!card || !target) return null
    removeCards(state, [card])
    insertBranch(state, target.topicid, target, [card])
    return card
  }

  function change(kind: UserEdit['kind'], cards: readonly DemoCard[]): DemoCard | null {
    if (kind === 'moved') return move(cards)
    const chosenCard = choose(cards)
    if (!chosenCard) return null
    const card = getCardForChange(state, chosenCard.noteid)
    if (kind === 'renamed') card.title = `${card.title} (edit ${count})`
    if (kind === 'recoloured') card.colorIndex = (card.colorIndex + 1) % 16
    if (kind === 'tags') card.hashtags = [...card.hashtags, `#by-hand-${count}`]
    card.revision += 1
    return card
  }

  return () => {
    const { sets } = state.library
    const set = sets.find(({ topicid }) => topicid === state.openState.topicid) ?? sets[0]
    const kind = editKinds[count % editKinds.length] ?? 'renamed'
    count += 1
    const card = set ? change(kind, set.cards) : null
    return card && { noteid: card.noteid, topicid: card.topicid, kind }
  }
}
