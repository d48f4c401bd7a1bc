import { endpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { namedCards } from '../../../../shared/bridge/named-cards.ts'
import type { StoredOperation } from '../../journal/types.ts'

/** How many cards of one command are read before and after it; of more, only the first. */
const MOST_CARDS = 50

/** What a command touches, as far as it can be read. */
export type Subject =
  | { readonly kind: 'cards'; readonly noteIds: readonly string[] }
  | { readonly kind: 'session'; readonly requestId: string | null }
  | { readonly kind: 'study-set'; readonly topicid: string }
  | { readonly kind: 'deck'; readonly deckId: string }
  | { readonly kind: 'nothing' }

/** What a record's command touches, by its path and body: cards, else the study set or deck, or the record of the practice session. */
export function subjectOf({ endpoint, path, body, noteid, topicid, requestId }: StoredOperation): Subject {
  const touches = endpointById(endpoint)?.touches ?? 'named'
  if (touches === 'session') return { kind: touches, requestId }
  if (touches === 'nothing') return { kind: touches }
  if (touches === 'deck') {
    const deckId = /^\/decks\/([^/?]+)\//.exec(path)?.[1]
    if (deckId !== undefined) return { kind: 'deck', deckId: decodeURIComponent(deckId) }
  } else {
    const named = namedCards(body)
    if (named.length > 0) return { kind: 'cards', noteIds: named.slice(0, MOST_CARDS) }
    if (noteid !== null) return { kind: 'cards', noteIds: [noteid] }
  }
  return topicid === null ? { kind: 'nothing' } : { kind: 'study-set', topicid }
}
