import { createCancelledError } from '../../../shared/errors.ts'

interface Waiting {
  readonly enter: () => void
}

/**
 * Limits how many of something may run at once per page; the others wait in order, and may stop
 * waiting.
 */
export class ConcurrencyLimit {
  readonly #maxSlots: number
  readonly #usedSlots = new Map<string, number>()
  readonly #waiting = new Map<string, Waiting[]>()

  constructor(maxSlots: number) {
    this.#maxSlots = maxSlots
  }

  /** Resolves with a function that frees the slot. Throws `CANCELLED`. */
  async acquire(page: string, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw createCancelledError()
    const usedCount = this.#usedSlots.get(page) ?? 0
    if (usedCount >= this.#maxSlots) await this.#wait(page, signal)
    else this.#usedSlots.set(page, usedCount + 1)
    let left = false
    return () => {
      if (left) return
      left = true
      this.#leave(page)
    }
  }

  #wait(page: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(page) ?? []
      this.#waiting.set(page, queue)
      const waiting: Waiting = {
        enter: () => {
          signal.removeEventListener('abort', stop)
          resolve()
        },
      }
      const stop = (): void => {
        const at = queue.indexOf(waiting)
        if (at >= 0) queue.splice(at, 1)
        if (queue.length === 0 && this.#waiting.get(page) === queue) this.#waiting.delete(page)
        reject(createCancelledError())
      }
      queue.push(waiting)
      signal.addEventListener('abort', stop, { once: true })
    })
  }

  /** Passes the slot to whoever has waited longest, without it ever being free in between. */
  #leave(page: string): void {
    const queue = this.#waiting.get(page)
    const next = queue?.shift()
    if (queue?.length === 0) this.#waiting.delete(page)
    if (next) return next.enter()
    const usedCount = (this.#usedSlots.get(page) ?? 1) - 1
    if (usedCount > 0) this.#usedSlots.set(page, usedCount)
    else this.#usedSlots.delete(page)
  }

  /** Slots in use and waiting requests, across all pages; zero once everything was freed. */
  get activeCount(): number {
    const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0)
    return sum(this.#usedSlots.values()) + sum([...this.#waiting.values()].map(({ length }) => length))
  }
}
