import { AppError } from '../../shared/errors.ts'
import { toAppError } from './errors.ts'

/** What is known about one id. `value` is the last good one: it stays while it is reloaded, and when that fails. */
export interface Snapshot<T> {
  readonly status: 'idle' | 'loading' | 'ready' | 'failed'
  readonly value: T | null
  readonly error: AppError | null
}

interface BatchPort<T> {
  /** One request for these ids: a value for each, or the reason there is none; rejects if the request as a whole failed. */
  fetch(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, T | AppError>>
  /** Maximum ids per request; only called if there is more than one. Never rejects. */
  readLimit(): Promise<number>
  /** Runs a moment later, so that ids wanted meanwhile are included. */
  schedule(run: () => void): void
}

interface PendingRequest {
  readonly ids: readonly string[]
  readonly generation: number
  readonly abort: AbortController
}

/** Concurrent requests: ids wanted meanwhile are collected, and ids no longer wanted are never requested. */
const MAX_PENDING_REQUESTS = 2

export const idleSnapshot: Snapshot<never> = { status: 'idle', value: null, error: null }

/**
 * Collects single ids into few requests. Within a generation each id is requested once, however often it is wanted; a request nobody waits
 * for any more is aborted; a failed request only fails its own ids. Values are kept while wanted, plus the `capacity` most recently used.
 * Knows nothing of cards, hosts or Vue: results are written to `snapshots`.
 */
export class RequestBatcher<T> {
  readonly snapshots: Map<string, Snapshot<T>>
  readonly #port: BatchPort<T>
  readonly #capacity: number
  readonly #wanted = new Map<string, number>()
  /** Ids known in this generation. */
  readonly #fresh = new Set<string>()
  /** Least recently used first. */
  readonly #recent = new Set<string>()
  readonly #queue = new Set<string>()
  readonly #asked = new Map<string, PendingRequest>()
  readonly #flights = new Set<PendingRequest>()
  #generation = 0
  #paused = false
  #scheduled = false
  #sending = false

  constructor(port: BatchPort<T>, capacity: number, snapshots = new Map<string, Snapshot<T>>()) {
    this.#port = port
    this.#capacity = capacity
    this.snapshots = snapshots
  }

  /** Ids that somebody wants now. */
  get retainedIds(): readonly string[] {
    return [...this.#wanted.keys()]
  }

  /** Wants an id until the returned function is called. */
  retain(id: string): () => void {
    this.#wanted.set(id, (this.#wanted.get(id) ?? 0) + 1)
    this.#recent.delete(id)
    this.#recent.add(id)
    if (!this.#fresh.has(id) && !this.#asked.has(id)) this.#enqueue(id)
    let released = false
    return () => {
      if (released) return
      released = true
      this.#release(id)
    }
  }

  /** Requests ids again, even known ones. Ids nobody wants are just forgotten. */
  reload(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#fresh.delete(id)
      this.#asked.delete(id)
      if (this.#wanted.has(id)) this.#enqueue(id)
      else this.#forget(id)
    }
  }

  /** Retries wanted ids that failed for a reason that has passed; returns whether there are any. */
  retryFailed(passed: (error: AppError) => boolean): boolean {
    const failed = [...this.snapshots].filter(([, { error }]) => error !== null && passed(error))
    this.reload(failed.map(([id]) => id))
    return failed.length > 0
  }

  /** Starts a new generation: what is wanted stays, and says when it was read; the rest is forgotten. */
  startGeneration(): void {
    this.#generation += 1
    this.#fresh.clear()
    for (const id of [...this.snapshots.keys()]) if (!this.#wanted.has(id)) this.#forget(id)
  }

  /** The data source changed: forgets everything, and requests anew what is wanted. */
  reset(): void {
    this.#generation += 1
    for (const flight of this.#flights) flight.abort.abort()
    this.#flights.clear()
    this.#asked.clear()
    this.#fresh.clear()
    this.#queue.clear()
    this.snapshots.clear()
    for (const id of this.#wanted.keys()) this.#enqueue(id)
  }

  /** Holds back new requests while there is no host to ask. */
  setPaused(paused: boolean): void {
    this.#paused = paused
    this.#schedule()
  }

  #release(id: string): void {
    const left = (this.#wanted.get(id) ?? 1) - 1
    if (left > 0) {
      this.#wanted.set(id, left)
      return
    }
    this.#wanted.delete(id)
    // A failure is not worth keeping: the next to want it gets a new attempt.
    if (this.snapshots.get(id)?.status === 'failed') this.#forget(id)
    this.#schedule()
  }

  #enqueue(id: string): void {
    this.#queue.add(id)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    this.#port.schedule(() => {
      this.#scheduled = false
      void this.#flush()
    })
  }

  async #flush(): Promise<void> {
    this.#drop()
    if (this.#sending) return
    this.#sending = true
    while (!this.#paused && this.#queue.size > 0 && this.#flights.size < MAX_PENDING_REQUESTS) {
      const most = this.#queue.size > 1 ? Math.max(1, await this.#port.readLimit()) : 1
      // Much may have changed while the limit was being determined.
      this.#drop()
      if (this.#paused || this.#queue.size === 0) continue
      void this.#send([...this.#queue].slice(0, most))
    }
    this.#sending = false
  }

  /** Releases what nobody wants any more. */
  #drop(): void {
    for (const id of this.#queue) {
      if (this.#wanted.has(id)) continue
      this.#queue.delete(id)
      if (!this.snapshots.has(id)) this.#recent.delete(id)
    }
    for (const flight of this.#flights) {
      if (flight.ids.some((id) => this.#wanted.has(id) && this.#asked.get(id) === flight)) continue
      this.#flights.delete(flight)
      flight.abort.abort()
      for (const id of flight.ids) if (this.#asked.get(id) === flight) this.#unask(id)
    }
  }

  async #send(ids: readonly string[]): Promise<void> {
    const flight: PendingRequest = { ids, generation: this.#generation, abort: new AbortController() }
    this.#flights.add(flight)
    for (const id of ids) {
      this.#queue.delete(id)
      this.#asked.set(id, flight)
      this.#put(id, { status: 'loading' })
    }
    const mine = (): string[] => ids.filter((id) => this.#asked.get(id) === flight)
    try {
      const found = await this.#port.fetch(ids, flight.abort.signal)
      for (const id of mine()) {
        this.#asked.delete(id)
        const one = found.get(id) ?? null
        if (one instanceof AppError) {
          this.#put(id, { status: 'failed', error: one })
          continue
        }
        this.#put(id, { status: 'ready', value: one, error: null })
        if (flight.generation === this.#generation) this.#fresh.add(id)
      }
      this.#trim()
    } catch (error) {
      for (const id of mine()) {
        this.#asked.delete(id)
        if (flight.abort.signal.aborted) this.#unask(id)
        else this.#put(id, { status: 'failed', error: toAppError(error) })
      }
    }
    this.#flights.delete(flight)
    this.#schedule()
  }

  /** After an aborted request: restores the state before it. */
  #unask(id: string): void {
    this.#asked.delete(id)
    const { value = null } = this.snapshots.get(id) ?? idleSnapshot
    if (value !== null) this.#put(id, { status: 'ready', error: null })
    else if (this.#wanted.has(id)) this.snapshots.delete(id)
    else this.#forget(id)
  }

  #put(id: string, change: Partial<Snapshot<T>>): void {
    this.snapshots.set(id, { ...(this.snapshots.get(id) ?? idleSnapshot), ...change })
  }

  #forget(id: string): void {
    this.snapshots.delete(id)
    this.#fresh.delete(id)
    this.#recent.delete(id)
  }

  #trim(): void {
    for (const id of this.#recent) {
      if (this.snapshots.size <= this.#capacity) return
      if (!this.#wanted.has(id)) this.#forget(id)
    }
  }
}
