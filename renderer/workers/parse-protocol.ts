import type { JsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import type { ResponseReading } from '../../shared/bridge/response-reading.ts'
import type { JsonFinding } from '../../shared/json/findings.ts'
import type { ListChunk } from './list-chunks.ts'

/** A request to the worker; its reply has the same `seq`. */
export type ParseWorkerRequest =
  | {
      readonly seq: number
      readonly task: 'parse'
      readonly endpoint: JsonEndpointId | null
      readonly bytes: ArrayBuffer
    }
  | {
      readonly seq: number
      readonly task: 'format'
      /** Null: the pieces sent ahead. */
      readonly source: ArrayBuffer | string | null
      readonly options: FormatOptions
    }
  /** A piece of the source of the request with this `seq`, which follows. */
  | { readonly seq: number; readonly task: 'piece'; readonly bytes: ArrayBuffer }

export type ParseWorkerReply =
  /** Precedes the result: a chunk of one of its long lists. */
  | { readonly seq: number; readonly listChunk: ListChunk }
  | { readonly seq: number; readonly ok: true; readonly result: ParseResult<unknown> | FormatResult }
  | { readonly seq: number; readonly ok: false; readonly message: string }

export interface ParseResult<T> {
  /**
   * The part that fits the response schema, with unknown members; undefined if nothing is usable.
   */
  readonly value: T | undefined
  /** False if the bytes are not JSON or are nested too deeply. */
  readonly isJson: boolean
  /**
   * Whether the response has everything that the contract promises; findings list the deviations.
   */
  readonly conforms: boolean
  readonly omittedCount: number
  /** Positions of the value's lists in the bytes. */
  readonly lists: ResponseReading<T>['lists']
  readonly findings: readonly JsonFinding[]
  /** Number of findings, with those that were not stored. */
  readonly findingTotal: number
  /** The parsed bytes, unchanged. */
  readonly bytes: ArrayBuffer
}

export interface FormatOptions {
  /** False: the text as it was sent. */
  readonly isIndented: boolean
  readonly maxChars: number
}

/** Text for display; `isTruncated` when the source is longer. */
export interface FormatResult {
  readonly text: string
  readonly isTruncated: boolean
  readonly sourceChars: number
}
