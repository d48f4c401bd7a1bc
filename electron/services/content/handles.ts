import { randomBytes } from 'node:crypto'
import type { Item } from './library.ts'

/** Contents that a page may hold at once, and for how long without asking for a byte of them. */
export const MOST_HANDLES = 2_000
const LONGEST_IDLE_MS = 12 * 60 * 60 * 1000

/** A content in the hands of one page. */
export interface Handle {
  readonly id: string
  readonly page: string
  readonly item: Item
  /** Aborted when the page lets go. */
  readonly gone: AbortController
  usedAt: number
}

/** The handles of all pages: unguessable, of one page each, bounded in number and time. */
export class Handles {
  readonly #all = new Map<string, Handle>()
  readonly #onGone: (handle: Handle) => void
  readonly #now: () => number

  constructor(onGone: (handle: Handle) => void, now: () => number = Date.now) {
    this.#onGone = onGone
    this.#now = now
  }

  give(page: string, item: Item): Handle {
    const handle = {
      id: randomBytes(24).toString('base64url'),
      page,
      item,
      gone: new AbortController(),
      usedAt: this.#now(),
    }
    this.#all.set(handle.id, handle)
    this.#sweep(page)
    return handle
  }

  /** The handle, where it is there and `may` allows its page. Looked up by a Map, so that no time tells how much of a guess fits. */
  find(id: string, may: (page: string) => boolean): Handle | null {
    const handle = this.#all.get(id)
    if (!handle || !may(handle.page)) return null
    handle.usedAt = this.#now()
    this.#all.delete(id)
    this.#all.set(id, handle)
    return handle
  }

  release(handle: Handle): void {
    if (!this.#all.delete(handle.id)) return
    handle.gone.abort()
    this.#onGone(handle)
  }

  leave(page: string): void {
    for (const handle of [...this.#all.values()]) if (handle.page === page) this.release(handle)
  }

  leaveAll(): void {
    for (const handle of [...this.#all.values()]) this.release(handle)
  }

  get count(): number {
    return this.#all.size
  }

  /** Least recently used first, as they stand in the map. */
  #sweep(page: string): void {
    const own = [...this.#all.values()].filter((handle) => handle.page === page)
    const old = this.#now() - LONGEST_IDLE_MS
    own.slice(0, Math.max(0, own.length - MOST_HANDLES)).forEach((handle) => this.release(handle))
    for (const handle of [...this.#all.values()]) if (handle.usedAt < old) this.release(handle)
  }
}
