import type { z } from 'zod'
import type { WireError } from '../errors.ts'

/** One call as both transports carry it; `id` is the page's own, unique per page, and is what `cancel` names. */
export interface CallRequest {
  readonly id: string
  readonly method: string
  readonly input: unknown
}

/** The reply to a call: never a thrown error, because only its `message` would survive the crossing. */
export type CallReply =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: WireError }

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
export interface IpcMethod<
  I extends z.ZodType = z.ZodType,
  O extends z.ZodType = z.ZodType,
  B extends boolean = boolean,
> {
  readonly kind: 'query' | 'command'
  readonly input: I
  readonly output: O
  /** A binary method returns `{ meta, bytes }`: `output` describes `meta`; `bytes` crosses as an ArrayBuffer, unparsed. */
  readonly isBinary: B
}

/** A push from the service process to the page; `payload` is parsed on arrival. */
export interface IpcTopic<P extends z.ZodType = z.ZodType> {
  readonly payload: P
}

export function defineQueryMethod<I extends z.ZodType, O extends z.ZodType>(
  input: I,
  output: O,
): IpcMethod<I, O, false> {
  return { kind: 'query', input, output, isBinary: false }
}

export function defineCommandMethod<I extends z.ZodType, O extends z.ZodType>(
  input: I,
  output: O,
): IpcMethod<I, O, false> {
  return { kind: 'command', input, output, isBinary: false }
}

export function defineBinaryQueryMethod<I extends z.ZodType, O extends z.ZodType>(
  input: I,
  meta: O,
): IpcMethod<I, O, true> {
  return { kind: 'query', input, output: meta, isBinary: true }
}

export function defineBinaryCommandMethod<I extends z.ZodType, O extends z.ZodType>(
  input: I,
  meta: O,
): IpcMethod<I, O, true> {
  return { kind: 'command', input, output: meta, isBinary: true }
}

export function defineTopic<P extends z.ZodType>(payload: P): IpcTopic<P> {
  return { payload }
}

/** What a binary method returns. */
export interface BinaryReply<M> {
  readonly meta: M
  readonly bytes: ArrayBuffer
}

export type InferInput<M> = M extends IpcMethod<infer I, z.ZodType> ? z.infer<I> : never
export type InferOutput<M> =
  M extends IpcMethod<z.ZodType, infer O, infer B> ? (B extends true ? BinaryReply<z.infer<O>> : z.infer<O>) : never
export type InferPayload<T> = T extends IpcTopic<infer P> ? z.infer<P> : never
