import { AppError } from '../../shared/errors.ts'
import { toAppError } from './errors.ts'

/** `value` is the last valid one, which stays during a reload and after a failed one. */
export interface LoadState<T> {
  readonly status: 'idle' | 'loading' | 'ready' | 'failed'
  readonly value: T | null
  readonly error: AppError | null
}

interface BatchPort<T> {
  /** Resolves with a value or an error for each id. Rejects if the whole request failed. */
  fetch(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, T | AppError>>
  /** Maximum number of ids per request, called only for more than one id. Never rejects. */
  readLimit(): Promise<number>
  /** Calls the function after a short delay, so that ids retained in the meantime are included. */
  schedule(run: () => void): void
}

interface PendingRequest {
  readonly ids: readonly string[]
  readonly generation: number
  readonly abort: AbortController
}

/** Ids retained while as many are pending wait, and may be released before a request. */
const MAX_PENDING_REQUESTS = 2

export const idleLoadState: LoadState<never> = { status: 'idle', value: null, error: null }

/**
 * Combines requests for single ids into few batches. Within a generation each id is requested once,
 * however often it is retained. A request for which no id is retained any more is aborted, and a
 * failed request affects only its own ids. Retained values are kept, and in addition the `capacity`
 * most recently used ones. Results are written to `loadStates`; cards, hosts and Vue are unknown to
 * this class.
 */
export class RequestBatcher<T> {
  readonly loadStates: Map<string, LoadState<T>>
  readonly #port: BatchPort<T>
  readonly #capacity: number
  readonly #retainCounts = new Map<string, number>()
  /** Ids that have a value of the current generation. */
  readonly #freshIds = new Set<string>()
  /** Least recently used first. */
  readonly #recentIds = new Set<string>()
  readonly #queue = new Set<string>()
  readonly #requests = new Map<string, PendingRequest>()
  readonly #pendingRequests = new Set<PendingRequest>()
  #generation = 0
  #isPaused = false
  #isScheduled = false
  #isSending = false

  constructor(port: BatchPort<T>, capacity: number, loadStates = new Map<string, LoadState<T>>()) {
    this.#port = port
    this.#capacity = capacity
    this.loadStates = loadStates
  }

  get retainedIds(): readonly string[] {
    return [...this.#retainCounts.keys()]
  }

  /** Returns false if the value of the id is awaited or of an earlier generation. */
  isFresh(id: string): boolean {
    return this.#freshIds.has(id) && this.loadStates.get(id)?.status === 'ready'
  }

  /** Retains an id until the returned function is called. */
  retain(id: string): () => void {
    this.#retainCounts.set(id, (this.#retainCounts.get(id) ?? 0) + 1)
    this.#recentIds.delete(id)
    this.#recentIds.add(id)
    if (!this.#freshIds.has(id) && !this.#requests.has(id)) this.#enqueue(id)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#release(id)
    }
  }

  /** Stores values that a different request has returned, so that these ids are not requested. */
  provide(values: Iterable<readonly [id: string, value: T]>): void {
    for (const [id, value] of values) {
      this.#requests.delete(id)
      this.#queue.delete(id)
      this.#freshIds.add(id)
      this.#recentIds.delete(id)
      this.#recentIds.add(id)
      this.#setLoadState(id, { status: 'ready', value, error: null })
    }
    this.#trim()
  }

  /** Requests retained ids, even those with a value, and forgets the values of others. */
  reload(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#freshIds.delete(id)
      this.#requests.delete(id)
      if (this.#retainCounts.has(id)) this.#enqueue(id)
      else this.#forget(id)
    }
  }

  /** Retries failed retained ids whose reason no longer applies. Returns true if there were any. */
  retryFailed(hasPassed: (error: AppError) => boolean): boolean {
    const failed = [...this.loadStates].filter(([, { error }]) => error !== null && hasPassed(error))
    this.reload(failed.map(([id]) => id))
    return failed.length > 0
  }

  /** Retained values stay with the time of their read; other values are forgotten. */
  startGeneration(): void {
    this.#generation += 1
    this.#freshIds.clear()
    for (const id of [...this.loadStates.keys()]) if (!this.#retainCounts.has(id)) this.#forget(id)
  }

  /** Call when the source changed: forgets all values and requests the retained ids. */
  reset(): void {
    this.#generation += 1
    for (const request of this.#pendingRequests) request.abort.abort()
    this.#pendingRequests.clear()
    this.#requests.clear()
    this.#freshIds.clear()
    this.#queue.clear()
    this.loadStates.clear()
    for (const id of this.#retainCounts.keys()) this.#enqueue(id)
  }

  /** Holds back new requests while there is no connection to a host. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.#schedule()
  }

  #release(id: string): void {
    const remaining = (this.#retainCounts.get(id) ?? 1) - 1
    if (remaining > 0) {
      this.#retainCounts.set(id, remaining)
      return
    }
    this.#retainCounts.delete(id)
    // A failure is not kept, so that the next `retain` requests the id again.
    if (this.loadStates.get(id)?.status === 'failed') this.#forget(id)
    this.#schedule()
  }

  #enqueue(id: string): void {
    this.#queue.add(id)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#port.schedule(() => {
      this.#isScheduled = false
      void this.#flush()
    })
  }

  async #flush(): Promise<void> {
    this.#dropUnretained()
    if (this.#isSending) return
    this.#isSending = true
    while (!this.#isPaused && this.#queue.size > 0 && this.#pendingRequests.size < MAX_PENDING_REQUESTS) {
      const maxIds = this.#queue.size > 1 ? Math.max(1, await this.#port.readLimit()) : 1
      // Ids may have been released while the limit was read.
      this.#dropUnretained()
      if (this.#isPaused || this.#queue.size === 0) continue
      void this.#send([...this.#queue].slice(0, maxIds))
    }
    this.#isSending = false
  }

  /** Unqueues ids that nobody retains, and aborts requests of only such ids. */
  #dropUnretained(): void {
    for (const id of this.#queue) {
      if (this.#retainCounts.has(id)) continue
      this.#queue.delete(id)
      if (!this.loadStates.has(id)) this.#recentIds.delete(id)
    }
    for (const request of this.#pendingRequests) {
      if (request.ids.some((id) => this.#retainCounts.has(id) && this.#requests.get(id) === request)) continue
      this.#pendingRequests.delete(request)
      request.abort.abort()
      for (const id of request.ids) if (this.#requests.get(id) === request) this.#restore(id)
    }
  }

  async #send(ids: readonly string[]): Promise<void> {
    const request: PendingRequest = { ids, generation: this.#generation, abort: new AbortController() }
    this.#pendingRequests.add(request)
    for (const id of ids) {
      this.#queue.delete(id)
      this.#requests.set(id, request)
      this.#setLoadState(id, { status: 'loading' })
    }
    const ownIds = (): string[] => ids.filter((id) => this.#requests.get(id) === request)
    try {
      const values = await this.#port.fetch(ids, request.abort.signal)
      for (const id of ownIds()) {
        this.#requests.delete(id)
        const result = values.get(id) ?? null
        if (result instanceof AppError) {
          this.#setLoadState(id, { status: 'failed', error: result })
          continue
        }
        this.#setLoadState(id, { status: 'ready', value: result, error: null })
        if (request.generation === this.#generation) this.#freshIds.add(id)
      }
      this.#trim()
    } catch (error) {
      for (const id of ownIds()) {
        this.#requests.delete(id)
        if (request.abort.signal.aborted) this.#restore(id)
        else this.#setLoadState(id, { status: 'failed', error: toAppError(error) })
      }
    }
    this.#pendingRequests.delete(request)
    this.#schedule()
  }

  /** Restores the state that an id had before its aborted request. */
  #restore(id: string): void {
    this.#requests.delete(id)
    const { value = null } = this.loadStates.get(id) ?? idleLoadState
    if (value !== null) this.#setLoadState(id, { status: 'ready', error: null })
    else if (this.#retainCounts.has(id)) this.loadStates.delete(id)
    else this.#forget(id)
  }

  #setLoadState(id: string, change: Partial<LoadState<T>>): void {
    this.loadStates.set(id, { ...(this.loadStates.get(id) ?? idleLoadState), ...change })
  }

  #forget(id: string): void {
    this.loadStates.delete(id)
    this.#freshIds.delete(id)
    this.#recentIds.delete(id)
  }

  #trim(): void {
    for (const id of this.#recentIds) {
      if (this.loadStates.size <= this.#capacity) return
      if (!this.#retainCounts.has(id)) this.#forget(id)
    }
  }
}
