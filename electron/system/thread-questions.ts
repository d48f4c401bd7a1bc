import type { Worker } from 'node:worker_threads'
import { fromWireError, type WireError } from '../../shared/errors.ts'

/** How a worker thread answers a question. */
export type ThreadReply =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: WireError }

interface PendingQuestion {
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** The questions that a worker thread has not answered yet. */
export class ThreadQuestions {
  readonly #pending = new Map<number, PendingQuestion>()
  #lastId = 0

  get isEmpty(): boolean {
    return this.#pending.size === 0
  }

  /**
   * @param post sends the question with its id
   * @throws what the thread threw
   */
  ask<Value>(post: (id: number) => void): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#lastId += 1
      this.#pending.set(this.#lastId, { resolve, reject })
      post(this.#lastId)
    })
  }

  /** Ignores replies to unknown questions, such as the one that ends the thread. */
  settle(reply: ThreadReply): void {
    const question = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    // `ask` has the type of the reply.
    if (reply.kind === 'answer') question?.resolve(reply.value as never)
    else question?.reject(fromWireError(reply.error))
  }

  rejectAll(reason: string): void {
    for (const { reject } of this.#pending.values()) reject(new Error(reason))
    this.#pending.clear()
  }
}

/**
 * Waits until a thread that was told to end has ended, and ends it at the latest after `maxMs`.
 * @returns false if it took longer
 */
export async function endThread(thread: Worker, maxMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), maxMs)))
  const exited = new Promise<boolean>((resolve) => thread.once('exit', () => resolve(true)))
  const isInTime = await Promise.race([exited, timeout])
  clearTimeout(timer)
  await thread.terminate()
  return isInTime
}
