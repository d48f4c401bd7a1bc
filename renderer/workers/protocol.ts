import type { JsonId } from '../../shared/bridge/endpoints/index.ts'
import type { Reading } from '../../shared/bridge/read-answer.ts'
import type { Finding } from '../../shared/json/findings.ts'
import type { Stretch } from './apart.ts'

/** What the page asks its worker for; `seq` names the answer. */
export type WorkerRequest =
  | { readonly seq: number; readonly task: 'parse'; readonly endpoint: JsonId; readonly bytes: ArrayBuffer }
  | {
      readonly seq: number
      readonly task: 'format'
      readonly source: ArrayBuffer | string
      readonly options: FormatOptions
    }

export type WorkerReply =
  /** Comes before the result: a piece of a long list in it. */
  | { readonly seq: number; readonly stretch: Stretch }
  | { readonly seq: number; readonly ok: true; readonly result: ParseResult<unknown> | FormatResult }
  | { readonly seq: number; readonly ok: false; readonly message: string }

/** What of JSON bytes fits the endpoint's response schema. */
export interface ParseResult<T> {
  /** Conforms to the schema, with the fields that it does not know; undefined where nothing is usable. */
  readonly value: T | undefined
  /** False where the bytes are no JSON or nested too deeply. */
  readonly ok: boolean
  /** Whether the answer is all that the contract promises; what is not is among the findings. */
  readonly conforms: boolean
  /** List entries that were left out. */
  readonly left: number
  /** Where the lists of the value stand in the bytes. */
  readonly lists: Reading<T>['lists']
  readonly findings: readonly Finding[]
  /** All findings, also those beyond the kept ones. */
  readonly findingTotal: number
  /** The bytes that went in, unchanged. */
  readonly bytes: ArrayBuffer
}

export interface FormatOptions {
  /** `false` = the text as it was sent. */
  readonly pretty: boolean
  /** Characters of output at the most. */
  readonly maxChars: number
}

/** Text to look at; `cut` says that there is more than `text`. */
export interface FormatResult {
  readonly text: string
  readonly cut: boolean
  /** Characters of the source. */
  readonly sourceChars: number
}
