import type { WireError } from '../errors.ts'
import type { BinaryReply } from './define.ts'

/** One call as both transports carry it; `id` is the page's, unique per page, and what `cancel` names. */
export interface CallRequest {
  readonly id: string
  readonly method: string
  readonly input: unknown
}

/** The answer to a call: never a thrown error, because only `message` would survive the border. */
export type Reply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: WireError }

/** The value of a binary method inside a `Reply`. */
export type BinaryValue = BinaryReply<unknown>

/** A push. */
export interface EventMessage {
  readonly topic: string
  readonly payload: unknown
}
