import { fromWireError } from '../errors.ts'
import type {
  MethodInput,
  MethodPart,
  MethodResult,
  TransferList,
  WorkerMethods,
  WorkerReply,
  WorkerRequest,
} from './worker-methods.ts'

interface PendingCall {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
  readonly onPart: ((part: never) => void) | undefined
}

interface CallOptions<Part> {
  readonly transfer?: TransferList
  /** Tells the worker that the result is not needed; the call still ends as the worker decides. */
  readonly signal?: AbortSignal
  readonly onPart?: (part: Part) => void
}

/** Calls the methods of a worker. Input is copied, except for what is transferred. */
export class WorkerClient<Methods extends WorkerMethods> {
  readonly #post: (request: WorkerRequest, transfer: TransferList) => void
  readonly #listeners: Readonly<Record<string, (payload: never) => void>>
  readonly #pending = new Map<number, PendingCall>()
  #lastId = 0
  #failure: Error | null = null

  /** @param listeners for what the worker sends on its own, by topic */
  constructor(
    post: (request: WorkerRequest, transfer: TransferList) => void,
    listeners: Readonly<Record<string, (payload: never) => void>> = {},
  ) {
    this.#post = post
    this.#listeners = listeners
  }

  get isIdle(): boolean {
    return this.#pending.size === 0
  }

  /** @throws what the method threw: an AppError, or an Error with its message */
  call<Name extends keyof Methods & string>(
    method: Name,
    input: MethodInput<Methods[Name]>,
    { transfer = [], signal, onPart }: CallOptions<MethodPart<Methods[Name]>> = {},
  ): Promise<MethodResult<Methods[Name]>> {
    if (this.#failure) return Promise.reject(this.#failure)
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onPart })
      this.#post({ id, method, input }, transfer)
      signal?.addEventListener('abort', () => this.#post({ id, isCancelled: true }, []), { once: true })
    })
  }

  /** Calls a method without a reply. */
  send<Name extends keyof Methods & string>(
    method: Name,
    input: MethodInput<Methods[Name]>,
    transfer: TransferList = [],
  ): void {
    this.#post({ id: 0, method, input }, transfer)
  }

  receive(reply: WorkerReply): void {
    // The methods have the types of what the worker sends.
    if ('topic' in reply) return this.#listeners[reply.topic]?.(reply.payload as never)
    const pending = this.#pending.get(reply.id)
    if ('part' in reply) return pending?.onPart?.(reply.part as never)
    this.#pending.delete(reply.id)
    if ('value' in reply) pending?.resolve(reply.value as never)
    else pending?.reject(typeof reply.error === 'string' ? new Error(reply.error) : fromWireError(reply.error))
  }

  /** Rejects all calls, those that follow too. */
  fail(error: Error): void {
    this.#failure ??= error
    const pendingCalls = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of pendingCalls) reject(error)
  }
}
