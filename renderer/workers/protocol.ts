import type { Finding } from '../../shared/json/findings.ts'
import type { Stretch } from './apart.ts'

/** What the page asks its worker for; `seq` names the answer. */
export type WorkerRequest =
  | { readonly seq: number; readonly task: 'parse'; readonly endpoint: string; readonly bytes: ArrayBuffer }
  | {
      readonly seq: number
      readonly task: 'format'
      readonly source: ArrayBuffer | string
      readonly options: FormatOptions
    }

export type WorkerReply =
  /** Comes before the result: a piece of a long list in it. */
  | { readonly seq: number; readonly stretch: Stretch }
  | { readonly seq: number; readonly ok: true; readonly result: ParseResult | FormatResult }
  | { readonly seq: number; readonly ok: false; readonly message: string }

/** JSON bytes as parsed and compared with the endpoint's response schema. */
export interface ParseResult {
  /** The value as parsed, unknown fields included; undefined where the bytes are no JSON. */
  readonly value: unknown
  /** False where the bytes are no JSON or nested too deeply. */
  readonly ok: boolean
  /** Whether the value is what the contract promises; the mismatches are among the findings. */
  readonly conforms: boolean
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
