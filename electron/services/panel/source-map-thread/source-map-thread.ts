import { Worker } from 'node:worker_threads'
import { ThreadQuestions } from '../../../system/thread-questions.ts'
import type { SourceMapOrder, SourceMapQuestions, SourceMapReport } from './messages.ts'

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
  readonly #questions = new ThreadQuestions()
  readonly #pendingAddresses = new Map<number, string>()
  #thread: Worker | null = null

  /**
   * @param onEnd called when a map has ended the thread, with the scripts whose maps were asked for
   *   at that time.
   */
  constructor(worker: URL, onEnd: (addresses: readonly string[]) => void) {
    this.#worker = worker
    this.#onEnd = onEnd
  }

  /** @throws Error for a map that is invalid, and when the thread has ended */
  async ask<Q extends keyof SourceMapQuestions>(
    question: Q,
    ...input: Parameters<SourceMapQuestions[Q]>
  ): Promise<ReturnType<SourceMapQuestions[Q]>> {
    const thread = this.#startThread()
    let questionId = 0
    let timer: NodeJS.Timeout | undefined
    try {
      return await this.#questions.ask((id) => {
        questionId = id
        if (typeof input[0] === 'string') this.#pendingAddresses.set(id, input[0])
        timer = setTimeout(() => this.#endThread(thread), MAX_QUESTION_MS)
        thread.ref()
        thread.postMessage({ id, question, input } satisfies SourceMapOrder)
      })
    } finally {
      clearTimeout(timer)
      this.#pendingAddresses.delete(questionId)
      if (this.#questions.isEmpty) thread.unref()
    }
  }

  /** Ends the thread without a call of `onEnd`. A later question starts another one. */
  close(): void {
    const thread = this.#thread
    this.#thread = null
    this.#questions.rejectAll('the thread was closed')
    void thread?.terminate()
  }

  #startThread(): Worker {
    if (this.#thread) return this.#thread
    const thread = new Worker(this.#worker, {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB },
    })
    thread.on('message', (report: SourceMapReport) => this.#questions.settle(report))
    thread.on('error', () => this.#endThread(thread))
    thread.on('exit', () => this.#endThread(thread))
    this.#thread = thread
    return thread
  }

  #endThread(thread: Worker): void {
    if (this.#thread !== thread) return
    this.#thread = null
    const addresses = [...new Set(this.#pendingAddresses.values())]
    this.#questions.rejectAll('the thread has ended')
    void thread.terminate()
    this.#onEnd(addresses)
  }
}
