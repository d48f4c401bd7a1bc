import type { Endpoint } from '../../shared/bridge/endpoint.ts'
import type { GeneratedSet } from './library/generated.ts'
import type { Book, Card, Library, StudySet } from './library/model.ts'
import { setTree } from './library/set-tree.ts'
import type { TreeSource } from './library/tree-source.ts'
import { DemoError, noteNotFound, type DemoReply } from './reply.ts'
import type { WritingDesk } from './writing.ts'

/** What routes know of the host they run in. */
export interface DemoState {
  readonly library: Library
  readonly generated: GeneratedSet
  readonly desk: WritingDesk
  /** Nodes after which a card listing stops (spec §8 traversal hard cap). */
  readonly walkLimit: number
  /** Excerpts after which a listing is cut (spec §8). */
  readonly excerptLimit: number
  readonly instanceNonce: () => string
  readonly startedAt: number
  /** What the "user" has open. */
  readonly open: { topicid: string; bookmd5: string | null; noteid: string | null; page: number }
  /** Document orders are made once. */
  readonly orders: Map<string, Uint32Array>
  /** False after the plugin's configuration was taken away (`PRACTICE_CONFIG_UNAVAILABLE`). */
  practiceConfigured: boolean
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

/** A small study set; throws `TOPIC_NOT_FOUND`. */
export function setOf(state: DemoState, topicid: string | undefined): StudySet {
  const set = state.library.sets.find((one) => one.topicid === topicid)
  if (!set) throw new DemoError(404, 'TOPIC_NOT_FOUND', 'There is no such study set.')
  return set
}

export const isGenerated = (state: DemoState, topicid: string | undefined): boolean =>
  topicid === state.generated.topicid

/** The card listing of any study set; throws `TOPIC_NOT_FOUND`. */
export function treeOf(state: DemoState, topicid: string | undefined): TreeSource {
  return isGenerated(state, topicid) ? state.generated : setTree(setOf(state, topicid))
}

/** A card of any study set, also a generated one; null when there is none. */
export function findCard(state: DemoState, noteid: string): Card | null {
  const known = state.library.cards.get(noteid)
  if (known) return known
  const index = state.generated.indexOf(noteid)
  return index < 0 ? null : { ...state.generated.card(index), topicid: state.generated.topicid }
}

/** Throws `NOTE_NOT_FOUND`. */
export function cardOf(state: DemoState, noteid: string | undefined): Card {
  const card = findCard(state, noteid ?? '')
  if (!card) throw noteNotFound(noteid ?? '')
  return card
}

/** Throws `DOCUMENT_NOT_FOUND`. */
export function bookOf(state: DemoState, bookmd5: string | undefined): Book {
  const book = state.library.books.get(bookmd5 ?? '')
  if (!book) throw new DemoError(404, 'DOCUMENT_NOT_FOUND', 'There is no such document.')
  return book
}
