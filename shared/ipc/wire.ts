import type { WireError } from '../errors.ts'

/** One call as both transports carry it; `id` is the page's own, unique per page, and is what `cancel` names. */
export interface CallRequest {
  readonly id: string
  readonly method: string
  readonly input: unknown
}

/** The reply to a call: never a thrown error, because only its `message` would survive the crossing. */
export type Reply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: WireError }

/** A push. */
export interface EventMessage {
  readonly topic: string
  readonly payload: unknown
}
