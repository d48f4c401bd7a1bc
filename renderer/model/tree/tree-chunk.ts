import type { SparseTexts } from './sparse-texts.ts'

/**
 * One page of a card listing as the page's main thread needs it: typed arrays, so that handing it over costs next to nothing and any row
 * can be drawn without asking the worker. A title becomes a text when its row is drawn.
 */
export interface TreeChunk {
  /** Index of this page's first node in the whole listing. */
  readonly start: number
  readonly count: number
  /** Index of each node's parent, or one of the codes below. */
  readonly parents: Int32Array<ArrayBuffer>
  /** Four words a node: its id, if that is a UUID in upper case. */
  readonly uuids: Uint32Array<ArrayBuffer>
  /** Ids of another form. */
  readonly otherIds: SparseTexts
  /** Titles in UTF-8, each followed by a zero byte; `titleEnds[n]` is where the n-th ends. */
  readonly titles: Uint8Array<ArrayBuffer>
  readonly titleEnds: Uint32Array<ArrayBuffer>
  /** Titles that UTF-8 cannot hold or that hold a zero. */
  readonly otherTitles: SparseTexts
  readonly flags: Uint8Array<ArrayBuffer>
  /** Page of the document; 0 for none. */
  readonly docPages: Uint32Array<ArrayBuffer>
  /** Place of the document in `books`, from 1; 0 for none. */
  readonly docBooks: Uint32Array<ArrayBuffer>
  /** Content identifiers of the documents that the nodes of this page name. */
  readonly books: readonly string[]
  /** Children that waited for a parent on this page: child and parent, alternating. */
  readonly resolvedParents: Int32Array<ArrayBuffer>
  /** Nodes of this page with a problem, by kind. */
  readonly problems: readonly { readonly kind: NodeProblemKind; readonly index: number }[]
}

/** Parent codes. */
export const ROOT_PARENT = -1
/** The parent has not arrived yet; it may be on a later page. */
export const PENDING_PARENT = -2

export const FLAG_SUB_MAP = 1
export const FLAG_DUPLICATE = 2

/** What can be wrong with a single node. */
export const nodeProblemKinds = ['duplicate-id', 'unknown-parent', 'cycle', 'self-parent', 'malformed-node'] as const
export type NodeProblemKind = (typeof nodeProblemKinds)[number]

/** Lists for the nodes with a problem, by kind. */
export const createProblemLists = (): Record<NodeProblemKind, number[]> => ({
  'duplicate-id': [],
  'unknown-parent': [],
  cycle: [],
  'self-parent': [],
  'malformed-node': [],
})
