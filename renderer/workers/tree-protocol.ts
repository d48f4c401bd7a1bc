import type { JsonFinding } from '../../shared/json/findings.ts'
import type { WireError } from '../../shared/errors.ts'
import type { ResponseMeta, ReadInput } from '../../shared/ipc/bridge.ts'
import type { ListingAccess } from '../../shared/ipc/listing.ts'
import type { TreeChunk } from '../model/tree/tree-chunk.ts'

/**
 * Facts in a page of the listing about the whole listing. Members that the host omitted are null.
 */
export interface TreePageHeader {
  /** Number of entries on the page, including invalid ones. */
  readonly entryCount: number
  readonly nextCursor: string | null
  readonly nodeTotal: number | null
  readonly isTruncated: boolean | null
  readonly truncation: boolean | null
  readonly walkLimitReached: boolean | null
  /** The order that the host reports. Present only if an order was requested (spec §2). */
  readonly sort: string | null
  /** Deviations from the contract. The nodes are used in spite of them. */
  readonly findings: readonly JsonFinding[]
}

/**
 * An error that parsing hides, with the index of its node; -1 if the error is in the page itself.
 */
export interface TreeFinding {
  readonly page: number
  readonly index: number
  readonly finding: JsonFinding
}

export type TreeTask =
  | { readonly task: 'open'; readonly root: string; readonly topicid: string }
  | { readonly task: 'page'; readonly bytes: ArrayBuffer }
  /**
   * The worker fetches the page itself. `input` is the request for the first page of the listing.
   */
  | {
      readonly task: 'fetch'
      readonly access: ListingAccess
      readonly id: string
      readonly input: ReadInput
      readonly cursor: string | null
    }
  /** Stops fetching further pages. With `isImmediate`, the current request is cancelled too. */
  | { readonly task: 'stopFetching'; readonly isImmediate: boolean }
  | { readonly task: 'search'; readonly text: string; readonly limit: number }
  | { readonly task: 'indexesOf'; readonly noteids: readonly string[] }
  | { readonly task: 'source'; readonly index: number }
  | { readonly task: 'retitle'; readonly noteid: string; readonly title: string }
  | { readonly task: 'prepare'; readonly page: number }
  | { readonly task: 'audit'; readonly page: number }

export type TreeRequest = TreeTask & { readonly seq: number }

export type TreeReply =
  | { readonly seq: number; readonly kind: 'arrived'; readonly meta: ResponseMeta }
  | { readonly seq: number; readonly kind: 'unfetched'; readonly error: WireError | 'outdated' }
  | { readonly seq: number; readonly kind: 'head'; readonly head: TreePageHeader }
  | { readonly seq: number; readonly kind: 'chunk'; readonly chunk: TreeChunk }
  | { readonly seq: number; readonly kind: 'matches'; readonly matches: Uint32Array<ArrayBuffer> }
  | { readonly seq: number; readonly kind: 'index'; readonly index: number }
  | { readonly seq: number; readonly kind: 'indexes'; readonly indexes: Int32Array<ArrayBuffer> }
  | { readonly seq: number; readonly kind: 'source'; readonly text: string | null }
  | { readonly seq: number; readonly kind: 'audit'; readonly findings: readonly TreeFinding[]; readonly total: number }
  | { readonly seq: number; readonly kind: 'done' }
  | { readonly seq: number; readonly kind: 'failed'; readonly message: string }
  /** The shape of the nodes on this page is not known. */
  | { readonly seq: number; readonly kind: 'unknown'; readonly bytes: ArrayBuffer }

/** No member of the nodes is known to hold their ids, which the contract leaves open. */
export class UnknownNodesError extends Error {
  readonly bytes: ArrayBuffer

  constructor(bytes: ArrayBuffer) {
    super('the ids of the nodes are not known')
    this.bytes = bytes
  }
}
