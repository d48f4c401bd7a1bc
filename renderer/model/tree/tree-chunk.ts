import type { SparseTexts } from './sparse-texts.ts'

/**
 * One page of a card listing for the main thread, in typed arrays that are transferred without a
 * copy. Every row can be drawn without calling the worker, and a title is decoded only when its row
 * is drawn.
 */
export interface TreeChunk {
  /** Index of the page's first node in the whole listing. */
  readonly start: number
  readonly count: number
  /** Index of each node's parent, `ROOT_PARENT` or `PENDING_PARENT`. */
  readonly parents: Int32Array<ArrayBuffer>
  /** The ids that are upper-case UUIDs, in four words per node. */
  readonly uuids: Uint32Array<ArrayBuffer>
  /** Ids that are not upper-case UUIDs, by row. */
  readonly otherIds: SparseTexts
  /** Titles in UTF-8, each followed by a zero byte; `titleEnds` has the end of each title. */
  readonly titles: Uint8Array<ArrayBuffer>
  readonly titleEnds: Uint32Array<ArrayBuffer>
  /** Titles that cannot be stored in UTF-8 or contain a zero. */
  readonly otherTitles: SparseTexts
  readonly flags: Uint8Array<ArrayBuffer>
  /** Page of the document; 0 for none. */
  readonly docPages: Uint32Array<ArrayBuffer>
  /** Position of the document in `books`, from 1; 0 for none. */
  readonly docBooks: Uint32Array<ArrayBuffer>
  /** Content ids of the documents that the nodes of this page name. */
  readonly books: readonly string[]
  /** Pairs of child and parent: the child waited, and its parent is on this page. */
  readonly resolvedParents: Int32Array<ArrayBuffer>
  readonly problems: readonly { readonly kind: NodeProblemKind; readonly index: number }[]
}

export const ROOT_PARENT = -1
/** The parent has not arrived yet and may be on a later page. */
export const PENDING_PARENT = -2

export const FLAG_SUB_MAP = 1
export const FLAG_DUPLICATE = 2
/** The host sent a title, which may be empty. The contract shows none. */
export const FLAG_TITLE = 4

export const nodeProblemKinds = ['duplicate-id', 'unknown-parent', 'cycle', 'self-parent', 'malformed-node'] as const
export type NodeProblemKind = (typeof nodeProblemKinds)[number]

export function createProblemLists(): Record<NodeProblemKind, number[]> {
  return {
    'duplicate-id': [],
    'unknown-parent': [],
    cycle: [],
    'self-parent': [],
    'malformed-node': [],
  }
}
