/**
 * One page of a card listing as the page's main thread needs it: typed arrays and two joined strings, so that handing it over costs next
 * to nothing and any row can be drawn without asking the worker.
 */
export interface TreeChunk {
  /** Index of this page's first node in the whole listing. */
  readonly start: number
  readonly count: number
  /** Index of each node's parent, or one of the codes below. */
  readonly parents: Int32Array
  /** Ids of all nodes, joined; `idEnds[n]` is where the n-th ends. */
  readonly ids: string
  readonly idEnds: Uint32Array
  readonly titles: string
  readonly titleEnds: Uint32Array
  readonly flags: Uint8Array
  /** Page of the document; 0 for none. */
  readonly docPages: Uint32Array
  /** Children that waited for a parent on this page: child and parent, alternating. */
  readonly resolved: Int32Array
  /** Nodes of this page with a problem, by kind. */
  readonly problems: readonly { readonly kind: NodeProblem; readonly index: number }[]
}

/** Parent codes. */
export const ROOT = -1
/** The parent has not arrived yet; it may be on a later page. */
export const WAITING = -2

export const FLAG_SUB_MAP = 1
export const FLAG_DUPLICATE = 2

/** What can be wrong with a single node. */
export const nodeProblems = ['duplicate-id', 'unknown-parent', 'cycle', 'self-parent', 'malformed-node'] as const
export type NodeProblem = (typeof nodeProblems)[number]
