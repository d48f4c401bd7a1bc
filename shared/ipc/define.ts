import type { z } from 'zod'
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

/**
 * One method of the contract between page and service process. A `query` changes nothing and may be repeated; a `command` changes
 * something and is never repeated by a transport. Schemas must not transform: input is parsed twice, once in the page and once, as
 * untrusted, in dispatch.
 */
export interface Method<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType, B extends boolean = boolean> {
  readonly kind: 'query' | 'command'
  readonly input: I
  readonly output: O
  /** A binary method returns `{ meta, bytes }`: `output` describes `meta`; `bytes` crosses as an ArrayBuffer, unparsed. */
  readonly binary: B
}

/** A push from the service process to the page; `payload` is parsed on arrival. */
export interface Topic<P extends z.ZodType = z.ZodType> {
  readonly payload: P
}

export function query<I extends z.ZodType, O extends z.ZodType>(input: I, output: O): Method<I, O, false> {
  return { kind: 'query', input, output, binary: false }
}

export function command<I extends z.ZodType, O extends z.ZodType>(input: I, output: O): Method<I, O, false> {
  return { kind: 'command', input, output, binary: false }
}

export function binaryQuery<I extends z.ZodType, O extends z.ZodType>(input: I, meta: O): Method<I, O, true> {
  return { kind: 'query', input, output: meta, binary: true }
}

export function binaryCommand<I extends z.ZodType, O extends z.ZodType>(input: I, meta: O): Method<I, O, true> {
  return { kind: 'command', input, output: meta, binary: true }
}

export function topic<P extends z.ZodType>(payload: P): Topic<P> {
  return { payload }
}

/** What a binary method returns. */
export interface BinaryReply<M> {
  readonly meta: M
  readonly bytes: ArrayBuffer
}

export type InputOf<M> = M extends Method<infer I, z.ZodType> ? z.infer<I> : never
export type OutputOf<M> =
  M extends Method<z.ZodType, infer O, infer B> ? (B extends true ? BinaryReply<z.infer<O>> : z.infer<O>) : never
export type PayloadOf<T> = T extends Topic<infer P> ? z.infer<P> : never
