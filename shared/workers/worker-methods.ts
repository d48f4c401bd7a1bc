/**
 * Typed calls of a worker: one of the page, or a thread of the service process. The worker serves
 * its methods with `serveMethods`; on the other side, `WorkerClient` calls them by their type. Read
 * this file first, then `worker-client.ts`.
 */
import type { WireError } from '../errors.ts'

/** Buffers and pictures that belong to the receiver alone once the message is sent. */
export type TransferList = readonly object[]

/** A message to a worker. With the id 0, nobody waits for a reply. */
export type WorkerRequest =
  | { readonly id: number; readonly method: string; readonly input: unknown }
  | { readonly id: number; readonly isCancelled: true }

/** A message from a worker. An error without wire data keeps only its message. */
export type WorkerReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: WireError | string }
  /** Sent before the result of a call. */
  | { readonly id: number; readonly part: unknown }
  | { readonly topic: string; readonly payload: unknown }

export interface WorkerCall<Part = never> {
  readonly signal: { readonly aborted: boolean }
  /** Sends a part of the result in advance. */
  report(part: Part, transfer?: TransferList): void
}

export type WorkerMethods = Readonly<Record<string, (input: never, call: WorkerCall<never>) => unknown>>

/** A result with buffers that the worker hands over instead of copying them. */
export class HandedOver<Value> {
  readonly value: Value
  readonly transfer: TransferList

  constructor(value: Value, transfer: TransferList) {
    this.value = value
    this.transfer = transfer
  }
}

type ValueOf<Result> = Result extends HandedOver<infer Value> ? Value : Result

export type MethodInput<Method> = Method extends (input: infer Input, call: never) => unknown ? Input : never
export type MethodPart<Method> = Method extends (input: never, call: WorkerCall<infer Part>) => unknown ? Part : never
export type MethodResult<Method> = Method extends (...input: never[]) => infer Result ? ValueOf<Awaited<Result>> : never

/**
 * Serves calls in their order; what a method throws becomes data. An error in a call without a
 * reply is thrown.
 * @param onCall called before each method
 * @returns the listener for the messages
 */
export function serveMethods(
  methods: WorkerMethods,
  post: (reply: WorkerReply, transfer: TransferList) => void,
  onCall: (hasReply: boolean) => void = () => undefined,
): (request: WorkerRequest) => void {
  const signals = new Map<number, { aborted: boolean }>()

  function runMethod(id: number, method: string, input: unknown, signal: WorkerCall['signal']): unknown {
    // `WorkerClient` has the type of the methods, so the input fits.
    const run = methods[method] as (input: unknown, call: WorkerCall<unknown>) => unknown
    onCall(id !== 0)
    return run(input, { signal, report: (part, transfer = []) => post({ id, part }, transfer) })
  }

  async function reply(id: number, method: string, input: unknown): Promise<void> {
    const signal = { aborted: false }
    signals.set(id, signal)
    try {
      const result = await runMethod(id, method, input, signal)
      if (result instanceof HandedOver) post({ id, value: result.value }, result.transfer)
      else post({ id, value: result }, [])
    } catch (error) {
      post({ id, error: toErrorData(error) }, [])
    } finally {
      signals.delete(id)
    }
  }

  return (request) => {
    if ('isCancelled' in request) {
      const signal = signals.get(request.id)
      if (signal) signal.aborted = true
    } else if (request.id === 0) runMethod(0, request.method, request.input, { aborted: false })
    else void reply(request.id, request.method, request.input)
  }
}

/** Reads the wire data without `AppError`, which would load the schemas into every worker. */
function toErrorData(error: unknown): WireError | string {
  if (!(error instanceof Error)) return String(error)
  return 'wire' in error ? (error.wire as WireError) : error.message
}
