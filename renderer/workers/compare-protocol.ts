import type { Comparison } from '../../shared/json/compare.ts'

export interface CompareRequest {
  readonly before: ArrayBuffer
  readonly after: ArrayBuffer
}

/** `text`: at least one of the two is not JSON, so both are there as text; `bytes`: or not even that. */
export type Compared =
  | ({ readonly kind: 'json' } & Comparison)
  | { readonly kind: 'text'; readonly before: string; readonly after: string }
  | { readonly kind: 'bytes'; readonly same: boolean }

export type CompareReply =
  { readonly ok: true; readonly result: Compared } | { readonly ok: false; readonly message: string }
