import { randomBytes } from 'node:crypto'
import type { LibraryItem } from './content-library.ts'

/**
 * How many contents a page may hold at once, and for how long without requesting a byte of them.
 */
export const MAX_HANDLES = 2_000
const MAX_IDLE_MS = 12 * 60 * 60 * 1000

/** A content held by one page. */
export interface ContentHandle {
  readonly id: string
  readonly page: string
  readonly item: LibraryItem
  /** Aborted when the page lets go. */
  readonly releaseController: AbortController
  usedAt: number
}

/** The handles of all pages: unguessable, each valid for one page, limited in number and time. */
export class ContentHandles {
  readonly #all = new Map<string, ContentHandle>()
  readonly #onGone: (handle: ContentHandle) => void
  readonly #now: () => number

  constructor(onGone: (handle: ContentHandle) => void, now: () => number = () => performance.now()) {
    this.#onGone = onGone
    this.#now = now
  }

  create(page: string, item: LibraryItem): ContentHandle {
    const handle = {
      id: randomBytes(24).toString('base64url'),
      page,
      item,
      releaseController: new AbortController(),
      usedAt: this.#now(),
    }
    this.#all.set(handle.id, handle)
    this.#sweep(page)
    return handle
  }

  /**
   * The handle, if it exists and `may` allows its page. Looked up in a Map, so that timing reveals
   * nothing about a guess.
   */
  find(id: string, may: (page: string) => boolean): ContentHandle | null {
    const handle = this.#all.get(id)
    if (!handle || !may(handle.page)) return null
    handle.usedAt = this.#now()
    this.#all.delete(id)
    this.#all.set(id, handle)
    return handle
  }

  release(handle: ContentHandle): void {
    if (!this.#all.delete(handle.id)) return
    handle.releaseController.abort()
    this.#onGone(handle)
  }

  releasePage(page: string): void {
    for (const handle of [...this.#all.values()]) if (handle.page === page) this.release(handle)
  }

  releaseAll(): void {
    for (const handle of [...this.#all.values()]) this.release(handle)
  }

  get count(): number {
    return this.#all.size
  }

  /** Least recently used first, which is their order in the map. */
  #sweep(page: string): void {
    const own = [...this.#all.values()].filter((handle) => handle.page === page)
    const old = this.#now() - MAX_IDLE_MS
    own.slice(0, Math.max(0, own.length - MAX_HANDLES)).forEach((handle) => this.release(handle))
    for (const handle of [...this.#all.values()]) if (handle.usedAt < old) this.release(handle)
  }
}
