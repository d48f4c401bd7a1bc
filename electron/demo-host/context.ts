import type { Endpoint } from '../../shared/bridge/endpoint.ts'
import type { GeneratedSet } from './library/generated.ts'
import type { Book, Bundle, Card, Library, StudySet } from './library/model.ts'
import { setTree } from './library/set-tree.ts'
import type { TreeSource } from './library/tree-source.ts'
import { DemoError, noteNotFound, setIsFixed, type DemoReply } from './reply.ts'
import type { WritingDesk } from './writing.ts'

/** What routes know of the host they run in. */
export interface DemoState {
  readonly library: Library
  readonly generated: GeneratedSet
  readonly bundles: Bundle[]
  readonly desk: WritingDesk
  /** Nodes after which a card listing stops (spec §8 traversal hard cap). */
  readonly walkLimit: number
  /** Excerpts after which a listing is cut (spec §8). */
  readonly excerptLimit: number
  /** Ids of one `POST /notes/batch-get` at the most; the capabilities say it. */
  readonly noteLimit: number
  readonly instanceNonce: () => string
  /** What the "user" has open. */
  readonly open: { topicid: string; bookmd5: string | null; noteid: string | null; page: number }
  /** Document orders are made once. */
  readonly orders: Map<string, Uint32Array>
  /** The cards of each version point. */
  readonly versions: Map<string, readonly Card[]>
}

/** One request as a route sees it: parameters checked against the endpoint table, body parsed by its schema. */
export interface DemoRequest {
  readonly endpoint: Endpoint
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

export type Route = (state: DemoState, request: DemoRequest) => DemoReply | Promise<DemoReply>
export type Routes = Readonly<Record<string, Route>>

export const isGenerated = (state: DemoState, topicid: string | undefined): boolean =>
  topicid === state.generated.topicid

/** A small study set; throws `TOPIC_NOT_FOUND`. */
export function setOf(state: DemoState, topicid: string | undefined): StudySet {
  const set = state.library.sets.find((one) => one.topicid === topicid)
  if (!set) throw new DemoError(404, 'TOPIC_NOT_FOUND', 'There is no such study set.')
  return set
}

/** A study set whose shape is about to change, marked as changed now. Throws `TOPIC_NOT_FOUND`, `STUDY_SET_FIXED`. */
export function setToChange(state: DemoState, topicid: string | undefined): StudySet {
  if (isGenerated(state, topicid)) throw setIsFixed()
  const set = setOf(state, topicid)
  set.lastModifiedAt = new Date().toISOString()
  return set
}

/** The card listing of any study set; throws `TOPIC_NOT_FOUND`. */
export function treeOf(state: DemoState, topicid: string | undefined): TreeSource {
  return isGenerated(state, topicid) ? state.generated : setTree(setOf(state, topicid))
}

/** A card of any study set, also a generated one; null when there is none. */
export function findCard(state: DemoState, noteid: string): Card | null {
  const known = state.library.cards.get(noteid)
  if (known) return known
  const index = state.generated.indexOf(noteid)
  return index < 0 ? null : state.generated.card(index)
}

/** Throws `NOTE_NOT_FOUND`. */
export function cardOf(state: DemoState, noteid: string | undefined): Card {
  const card = findCard(state, noteid ?? '')
  if (!card) throw noteNotFound(noteid ?? '')
  return card
}

/** A card whose content is about to change: what is changed is kept. Throws `NOTE_NOT_FOUND`. */
export function cardToChange(state: DemoState, noteid: string | undefined): Card {
  const card = cardOf(state, noteid)
  const index = state.generated.indexOf(card.noteid)
  if (index >= 0) return state.generated.keep(index)
  setToChange(state, card.topicid)
  return card
}

/** The ids that a body names; one that does not exist is `NOTE_NOT_FOUND` before anything is done. */
export function namedIds(state: DemoState, body: Readonly<Record<string, unknown>>): string[] {
  return (body['noteIds'] as string[]).map((id) => cardOf(state, id).noteid)
}

/** Throws `DOCUMENT_NOT_FOUND`. */
export function bookOf(state: DemoState, bookmd5: string | undefined): Book {
  const book = state.library.books.get(bookmd5 ?? '')
  if (!book) throw new DemoError(404, 'DOCUMENT_NOT_FOUND', 'There is no such document.')
  return book
}
