/**
 * The state of the host that routes share, functions that look things up in it, and the shape of
 * replies. HTTP is handled in `../request-handler.ts`. Read `DemoState` first.
 */
import type { EndpointMap, KnownEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import type { GeneratedSet } from '../library/generated-set.ts'
import type {
  DemoBand,
  DemoBook,
  DemoBundle,
  DemoCard,
  DemoDeck,
  DemoLibrary,
  DemoPlugin,
  DemoStudySet,
} from '../library/model.ts'
import { createSetTree, type TreeSource } from '../library/tree-source.ts'
import { DemoError, createNoteNotFoundError, createFixedSetError, type DemoReply } from './reply.ts'
import type { SyncLog } from './sync-log.ts'
import type { WritingStore } from './writing.ts'

export interface DemoState {
  readonly library: DemoLibrary
  /** It has no cards if the host serves an own library without `nodes`. */
  readonly generatedSet: GeneratedSet
  readonly plugins: readonly DemoPlugin[]
  readonly bundles: DemoBundle[]
  /** Bundles whose folder was deleted; deleting such a bundle a second time is not an error. */
  readonly discardedBundleIds: Set<string>
  readonly syncLog: SyncLog
  /** The paths of exported files. Until `busyUntil` (epoch ms), the last file is being written. */
  readonly exports: { busyUntil: number; readonly files: string[] }
  /** The one-time code of an installation and its expiry. */
  readonly install: { code: string | null; until: number }
  /** Documents whose contents list is being generated, with the end of that (epoch ms). */
  readonly tocGenerations: Map<string, number>
  /** Deleted study sets whose version points were kept. */
  readonly deletedStudySets: Map<string, DemoStudySet>
  /** The duration of one background step. */
  readonly stepMs: number
  readonly writingDesk: WritingStore
  /** The maximum number of nodes in a card listing (spec §8 traversal hard cap). */
  readonly walkLimit: number
  readonly excerptLimit: number
  /** The maximum number of ids in `POST /notes/batch-get`, as in the capabilities. */
  readonly noteLimit: number
  readonly getInstanceNonce: () => string
  /** Everything that is open in the simulated user's interface. */
  readonly openState: OpenState
  /** Texts that were written on blanks, by the id of the blank. */
  readonly blankTexts: Map<string, string>
  /** The document order of each study set, which is computed only once. */
  readonly documentOrders: Map<string, Uint32Array>
  readonly snapshotCards: Map<string, readonly DemoCard[]>
}

interface OpenState {
  /** The id of a study set or of a deck; null if nothing is open. */
  topicid: string | null
  bookmd5: string | null
  noteid: string | null
  page: number
  /** All remaining members of the interface state, as they were sent. */
  rest: Record<string, unknown>
}

/** A request with parameters checked by the endpoint table, and a body parsed by its schema. */
export interface DemoRequest {
  readonly endpoint: KnownEndpoint
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  /** The body as it was sent, for example the file of an upload. */
  readonly bytes: Buffer
  /** Calls a different route with the rights of the same caller. */
  readonly callRoute: (method: string, path: string, body: unknown) => Promise<DemoReply>
}

export type DemoRoute = (state: DemoState, request: DemoRequest) => DemoReply | Promise<DemoReply>
export type RouteTable = EndpointMap<DemoRoute>

/** The generated study set comes last; a host with an own library has none. */
export function listStudySets({ library, generatedSet }: DemoState): readonly { topicid: string; title: string }[] {
  return generatedSet.count === 0 ? library.sets : [...library.sets, generatedSet]
}

export function isGeneratedStudySet(state: DemoState, topicid: string | undefined): boolean {
  return topicid === state.generatedSet.topicid
}

/** @throws TOPIC_NOT_FOUND for an unknown id, and for the generated study set. */
export function getStudySet(state: DemoState, topicid: string | undefined): DemoStudySet {
  const set = state.library.sets.find((candidate) => candidate.topicid === topicid)
  if (!set) throw new DemoError(404, 'TOPIC_NOT_FOUND', 'There is no such study set.')
  return set
}

/** Updates the time of change. @throws TOPIC_NOT_FOUND, STUDY_SET_FIXED (generated) */
export function getStudySetForChange(state: DemoState, topicid: string | undefined): DemoStudySet {
  return markStudySetChanged(getChangeableStudySet(state, topicid))
}

/** @throws TOPIC_NOT_FOUND for an unknown id, STUDY_SET_FIXED for the generated study set. */
export function getChangeableStudySet(state: DemoState, topicid: string | undefined): DemoStudySet {
  if (isGeneratedStudySet(state, topicid)) throw createFixedSetError()
  return getStudySet(state, topicid)
}

export function markStudySetChanged(set: DemoStudySet): DemoStudySet {
  set.lastModifiedAt = new Date().toISOString()
  return set
}

/** @throws TOPIC_NOT_FOUND for an unknown id. */
export function getTree(state: DemoState, topicid: string | undefined): TreeSource {
  return isGeneratedStudySet(state, topicid) ? state.generatedSet : createSetTree(getStudySet(state, topicid))
}

/** Searches all study sets, including the generated one. */
export function findCard(state: DemoState, noteid: string): DemoCard | null {
  const stored = state.library.cards.get(noteid)
  if (stored) return stored
  const index = state.generatedSet.findIndex(noteid)
  return index < 0 ? null : state.generatedSet.getCard(index)
}

/** @throws NOTE_NOT_FOUND for an unknown id. */
export function getCard(state: DemoState, noteid: string | undefined): DemoCard {
  const card = findCard(state, noteid ?? '')
  if (!card) throw createNoteNotFoundError(noteid ?? '')
  return card
}

/** Returns a card in a form that keeps the coming change. @throws NOTE_NOT_FOUND */
export function getCardForChange(state: DemoState, noteid: string | undefined): DemoCard {
  const card = getCard(state, noteid)
  const index = state.generatedSet.findIndex(card.noteid)
  if (index >= 0) return state.generatedSet.retainCard(index)
  getStudySetForChange(state, card.topicid)
  return card
}

export function hasChildren(state: DemoState, { noteid, topicid }: DemoCard): boolean {
  const index = state.generatedSet.findIndex(noteid)
  if (index >= 0) return state.generatedSet.getSubtreeEnd(index) > index + 1
  return getStudySet(state, topicid).cards.some(({ parent }) => parent === noteid)
}

/** Finds a band by its own id, which it has because it can be written to like a card. */
export function findBandByPhysicalId({ library, generatedSet }: DemoState, physicalNoteId: string): DemoBand | null {
  for (const { bands } of library.cards.values()) {
    const band = bands.find((candidate) => candidate.physicalNoteId === physicalNoteId)
    if (band) return band
  }
  return generatedSet.findBandByPhysicalId(physicalNoteId)
}

/** The ids in `noteIds` without repetitions. @throws NOTE_NOT_FOUND for an unknown id */
export function requireNoteIds(state: DemoState, body: Readonly<Record<string, unknown>>): string[] {
  return [...new Set(body['noteIds'] as string[])].map((id) => getCard(state, id).noteid)
}

/** @throws IS_A_DECK for a deck's id, TOPIC_NOT_FOUND for an unknown id (observed §3). */
export function assertStudySet(state: DemoState, topicid: string | undefined): void {
  if (state.library.decks.some(({ deckId }) => deckId === topicid)) {
    throw new DemoError(422, 'IS_A_DECK', 'This is the id of a deck.')
  }
  if (!isGeneratedStudySet(state, topicid)) getStudySet(state, topicid)
}

/** @throws NOT_A_DECK for a study set's id, DECK_NOT_FOUND for an unknown id. */
export function getDeck(state: DemoState, id: string | undefined): DemoDeck {
  const deck = state.library.decks.find(({ deckId }) => deckId === id)
  if (deck) return deck
  const isSet = isGeneratedStudySet(state, id) || state.library.sets.some(({ topicid }) => topicid === id)
  if (isSet) throw new DemoError(422, 'NOT_A_DECK', 'This is the id of a study set.')
  throw new DemoError(404, 'DECK_NOT_FOUND', 'There is no such deck.')
}

/** The main document comes first. @throws TOPIC_NOT_FOUND for an unknown id */
export function getDocumentIds(state: DemoState, topicid: string | undefined): readonly string[] {
  return isGeneratedStudySet(state, topicid) ? state.generatedSet.books : getStudySet(state, topicid).documents
}

/** @throws DOCUMENT_NOT_FOUND for an unknown hash. */
export function getBook(state: DemoState, bookmd5: string | undefined): DemoBook {
  const book = state.library.books.get(bookmd5 ?? '')
  if (!book) throw new DemoError(404, 'DOCUMENT_NOT_FOUND', 'There is no such document.')
  return book
}
