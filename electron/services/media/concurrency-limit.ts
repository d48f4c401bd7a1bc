import { createCancelledError } from '../../../shared/errors.ts'

interface WaitingRequest {
  readonly enter: () => void
}

/** Requests beyond a page's limit wait in order for a slot or their signal's end. */
export class ConcurrencyLimit {
  readonly #maxSlots: number
  readonly #usedSlots = new Map<string, number>()
  readonly #waitingByPage = new Map<string, WaitingRequest[]>()

  constructor(maxSlots: number) {
    this.#maxSlots = maxSlots
  }

  /** Returns a function that frees the slot. @throws CANCELLED when the signal is aborted first */
  async acquire(page: string, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw createCancelledError()
    const usedCount = this.#usedSlots.get(page) ?? 0
    if (usedCount >= this.#maxSlots) await this.#waitForSlot(page, signal)
    else this.#usedSlots.set(page, usedCount + 1)
    let isFreed = false
    return () => {
      if (isFreed) return
      isFreed = true
      this.#freeSlot(page)
    }
  }

  #waitForSlot(page: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#waitingByPage.get(page) ?? []
      this.#waitingByPage.set(page, queue)
      const waitingRequest: WaitingRequest = {
        enter: () => {
          signal.removeEventListener('abort', stop)
          resolve()
        },
      }
      const stop = (): void => {
        const index = queue.indexOf(waitingRequest)
        if (index >= 0) queue.splice(index, 1)
        if (queue.length === 0 && this.#waitingByPage.get(page) === queue) this.#waitingByPage.delete(page)
        reject(createCancelledError())
      }
      queue.push(waitingRequest)
      signal.addEventListener('abort', stop, { once: true })
    })
  }

  /** The request that has waited longest gets it directly, so that no newer one takes it. */
  #freeSlot(page: string): void {
    const queue = this.#waitingByPage.get(page)
    const nextRequest = queue?.shift()
    if (queue?.length === 0) this.#waitingByPage.delete(page)
    if (nextRequest) return nextRequest.enter()
    const usedCount = (this.#usedSlots.get(page) ?? 1) - 1
    if (usedCount > 0) this.#usedSlots.set(page, usedCount)
    else this.#usedSlots.delete(page)
  }

  /** Number of slots in use plus waiting requests, over all pages. Only tests read it. */
  get activeCount(): number {
    const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, count) => total + count, 0)
    return sum(this.#usedSlots.values()) + sum([...this.#waitingByPage.values()].map(({ length }) => length))
  }
}
