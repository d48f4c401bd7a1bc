import type { JsonFinding } from '../../shared/json/findings.ts'

/** Facts about the whole listing. Members that the host omitted are null. */
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

/** An error hidden by parsing, with the index of its node; -1 if it is in the page. */
export interface TreeFinding {
  readonly page: number
  readonly index: number
  readonly finding: JsonFinding
}

/** No member of the nodes is known to hold their ids, which the contract leaves open. */
export class UnknownNodesError extends Error {
  readonly bytes: ArrayBuffer

  constructor(bytes: ArrayBuffer) {
    super('the ids of the nodes are not known')
    this.bytes = bytes
  }
}
