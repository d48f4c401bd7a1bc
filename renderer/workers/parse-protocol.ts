import type { JsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import type { ResponseReading } from '../../shared/bridge/response-reading.ts'
import type { JsonFinding } from '../../shared/json/findings.ts'
import type { ListChunk } from './list-chunks.ts'

/** What the page asks its worker for; `seq` identifies the reply. */
export type WorkerRequest =
  | {
      readonly seq: number
      readonly task: 'parse'
      readonly endpoint: JsonEndpointId | null
      readonly bytes: ArrayBuffer
    }
  | {
      readonly seq: number
      readonly task: 'format'
      /** Null: the pieces that were sent ahead. */
      readonly source: ArrayBuffer | string | null
      readonly options: FormatOptions
    }
  /** A piece of the source of the question with this `seq`, which follows. */
  | { readonly seq: number; readonly task: 'piece'; readonly bytes: ArrayBuffer }

export type WorkerReply =
  /** Precedes the result: a piece of one of its long lists. */
  | { readonly seq: number; readonly stretch: ListChunk }
  | { readonly seq: number; readonly ok: true; readonly result: ParseResult<unknown> | FormatResult }
  | { readonly seq: number; readonly ok: false; readonly message: string }

/** The part of JSON bytes that fits the endpoint's response schema. */
export interface ParseResult<T> {
  /** Conforms to the schema, unknown fields included; undefined if nothing is usable. */
  readonly value: T | undefined
  /** False if the bytes are not JSON or are nested too deeply. */
  readonly isJson: boolean
  /** Whether the answer is everything the contract promises; deviations are among the findings. */
  readonly conforms: boolean
  /** List entries left out. */
  readonly omittedCount: number
  /** Where the lists of the value are in the bytes. */
  readonly lists: ResponseReading<T>['lists']
  readonly findings: readonly JsonFinding[]
  /** All findings, including those not kept. */
  readonly findingTotal: number
  /** The bytes that went in, unchanged. */
  readonly bytes: ArrayBuffer
}

export interface FormatOptions {
  /** `false` = the text as it was sent. */
  readonly isIndented: boolean
  /** Maximum characters of output. */
  readonly maxChars: number
}

/** Text for display; `isTruncated` = there is more than `text`. */
export interface FormatResult {
  readonly text: string
  readonly isTruncated: boolean
  /** Length of the source in characters. */
  readonly sourceChars: number
}
