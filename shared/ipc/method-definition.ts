import type { z } from 'zod'
import type { WireError } from '../errors.ts'

/** Both transports use it. `id` is unique per page and names the call to `cancel`. */
export interface CallRequest {
  readonly id: string
  readonly method: string
  readonly input: unknown
}

/** Errors are data: only the `message` of a thrown one would cross the process boundary. */
export type CallReply =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: WireError }

/** A message that the service process sends on its own. */
export interface EventMessage {
  readonly topic: string
  readonly payload: unknown
}

/**
 * A method of the IPC contract. A `query` changes nothing and may be repeated; a transport never
 * repeats a `command`. Schemas must not transform, because input is parsed twice: in the page, and
 * as untrusted data in the dispatcher.
 */
export interface IpcMethod<
  I extends z.ZodType = z.ZodType,
  O extends z.ZodType = z.ZodType,
  B extends boolean = boolean,
> {
  readonly kind: 'query' | 'command'
  readonly input: I
  readonly output: O
  /** For a binary method, `output` describes `meta` of `{ meta, bytes }`. */
  readonly isBinary: B
}

/** A kind of message from the service process to the page, which parses the `payload`. */
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

export interface BinaryReply<M> {
  readonly meta: M
  readonly bytes: ArrayBuffer
}

export type InferInput<M> = M extends IpcMethod<infer I, z.ZodType> ? z.infer<I> : never
export type InferOutput<M> =
  M extends IpcMethod<z.ZodType, infer O, infer B> ? (B extends true ? BinaryReply<z.infer<O>> : z.infer<O>) : never
export type InferPayload<T> = T extends IpcTopic<infer P> ? z.infer<P> : never
