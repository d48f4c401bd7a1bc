import type { MethodInput, MethodResult } from '../../../../shared/workers/worker-methods.ts'
import { WorkerThread } from '../../../system/worker-thread.ts'
import type { SourceMapMethods } from './worker.ts'

/** A question that takes longer ends the thread. It includes the start of the thread. */
const MAX_QUESTION_MS = 5_000
const MAX_HEAP_MB = 256
const MAX_YOUNG_HEAP_MB = 32

/**
 * The thread that holds the parsed source maps of a panel. It is started by the first question. A
 * map that needs more time or memory than the limits allow ends it, and all maps are gone.
 */
export class SourceMapThread {
  readonly #worker: URL
  readonly #onEnd: (addresses: readonly string[]) => void
  /** Those of the maps that are asked for, by a value that identifies the question. */
  readonly #pendingAddresses = new Map<object, string>()
  #thread: WorkerThread<SourceMapMethods> | null = null

  /** `onEnd` is called with the scripts that were asked for when a map has ended the thread. */
  constructor(worker: URL, onEnd: (addresses: readonly string[]) => void) {
    this.#worker = worker
    this.#onEnd = onEnd
  }

  /** @throws Error for a map that is invalid, and when the thread has ended */
  async ask<Name extends keyof SourceMapMethods>(
    method: Name,
    input: MethodInput<SourceMapMethods[Name]>,
  ): Promise<MethodResult<SourceMapMethods[Name]>> {
    const thread = this.#startThread()
    if ('address' in input) this.#pendingAddresses.set(input, input.address)
    const timer = setTimeout(() => this.#endThread(thread), MAX_QUESTION_MS)
    try {
      return await thread.call(method, input)
    } finally {
      clearTimeout(timer)
      this.#pendingAddresses.delete(input)
    }
  }

  /** Ends the thread without a call of `onEnd`. A later question starts another one. */
  close(): void {
    this.#thread?.terminate()
    this.#thread = null
  }

  #startThread(): WorkerThread<SourceMapMethods> {
    if (this.#thread) return this.#thread
    const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB }
    const thread: WorkerThread<SourceMapMethods> = new WorkerThread(this.#worker, { resourceLimits }, () =>
      this.#endThread(thread),
    )
    this.#thread = thread
    return thread
  }

  #endThread(thread: WorkerThread<SourceMapMethods>): void {
    if (this.#thread !== thread) return
    this.#thread = null
    const addresses = [...new Set(this.#pendingAddresses.values())]
    thread.terminate()
    this.#onEnd(addresses)
  }
}
