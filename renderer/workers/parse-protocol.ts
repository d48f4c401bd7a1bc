import type { JsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import type { ResponseReading } from '../../shared/bridge/response-reading.ts'
import type { Assertion } from '../../shared/collections/assertion.ts'
import type { AssertedResponse, AssertionResult } from '../../shared/collections/assertion-result.ts'
import type { Variables } from '../../shared/collections/variables.ts'
import type { JsonFinding } from '../../shared/json/findings.ts'
import type { ListChunk } from './list-chunks.ts'

/** The reply to a request has the same `seq`. */
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
      /** Null if the source was sent in pieces before. */
      readonly source: ArrayBuffer | string | null
      readonly options: FormatOptions
    }
  | ({ readonly seq: number } & AssertionTask)
  /** A piece of the source of the request with this `seq`, which is sent afterwards. */
  | { readonly seq: number; readonly task: 'piece'; readonly bytes: ArrayBuffer }

export type ParseWorkerReply =
  /** A part of a long list in the result, sent before the result. */
  | { readonly seq: number; readonly listChunk: ListChunk }
  | { readonly seq: number; readonly ok: true; readonly result: ParseResult<unknown> | FormatResult | AssertionReply }
  | { readonly seq: number; readonly ok: false; readonly message: string }

/** Evaluates assertions, or creates the one that the value at a JSON pointer stays as it is. */
export type AssertionTask =
  | {
      readonly task: 'assert'
      readonly assertions: unknown
      readonly variables: Variables
      readonly response: AssertedResponse
    }
  | { readonly task: 'create-assertion'; readonly pointer: string; readonly bytes: ArrayBuffer }

/** `created` is null if there is no value at the pointer. */
export type AssertionReply = { readonly results: readonly AssertionResult[] } | { readonly created: Assertion | null }

export interface ParseResult<T> {
  /** The part that fits the response schema, with unknown members; undefined if no part fits. */
  readonly value: T | undefined
  /** See `ResponseReading`. */
  readonly isShapeUnknown?: true
  /** False if the bytes are not JSON or are nested too deeply. */
  readonly isJson: boolean
  /**
   * True if the response has all members that the contract requires. The findings list deviations.
   */
  readonly conforms: boolean
  readonly omittedCount: number
  /** Positions of the value's lists in the bytes. */
  readonly lists: ResponseReading<T>['lists']
  readonly findings: readonly JsonFinding[]
  /** Number of all findings but `observed` ones, including those that were not stored. */
  readonly findingTotal: number
  /** The bytes that were parsed, handed back unchanged. */
  readonly bytes: ArrayBuffer
}

export interface FormatOptions {
  /** False for the text as it was sent. */
  readonly isIndented: boolean
  readonly maxChars: number
}

/** `isTruncated` is true if the source is longer than the text. */
export interface FormatResult {
  readonly text: string
  readonly isTruncated: boolean
  readonly sourceChars: number
}
