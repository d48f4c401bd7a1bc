import { randomBytes } from 'node:crypto'
import type { LibraryItem } from './content-library.ts'
import { NodeAbortController } from '../../core/node-abort.ts'

/** Maximum number of pieces of content that a page may hold open at once. */
export const MAX_CONTENT_HANDLES = 2_000
// Handles are released if no byte of them has been requested for this long.
const MAX_IDLE_MS = 12 * 60 * 60 * 1000

export interface ContentHandle {
  readonly id: string
  readonly page: string
  readonly item: LibraryItem
  /** Aborted when the page releases the handle. */
  readonly releaseController: AbortController
  usedAt: number
}

/** The handles of all pages. Ids cannot be guessed; each is valid for one page only. */
export class ContentHandles {
  readonly #byId = new Map<string, ContentHandle>()
  readonly #onRelease: (handle: ContentHandle) => void
  readonly #now: () => number

  constructor(onRelease: (handle: ContentHandle) => void, now: () => number = () => performance.now()) {
    this.#onRelease = onRelease
    this.#now = now
  }

  create(page: string, item: LibraryItem): ContentHandle {
    const handle = {
      id: randomBytes(24).toString('base64url'),
      page,
      item,
      releaseController: new NodeAbortController(),
      usedAt: this.#now(),
    }
    this.#byId.set(handle.id, handle)
    this.#releaseExcess(page)
    return handle
  }

  /** Finds it if `isAllowed` accepts its page. A Map's timing reveals nothing about a guess. */
  find(id: string, isAllowed: (page: string) => boolean): ContentHandle | null {
    const handle = this.#byId.get(id)
    if (!handle || !isAllowed(handle.page)) return null
    handle.usedAt = this.#now()
    this.#byId.delete(id)
    this.#byId.set(id, handle)
    return handle
  }

  release(handle: ContentHandle): void {
    if (!this.#byId.delete(handle.id)) return
    handle.releaseController.abort()
    this.#onRelease(handle)
  }

  releasePage(page: string): void {
    for (const handle of [...this.#byId.values()]) if (handle.page === page) this.release(handle)
  }

  releaseAll(): void {
    for (const handle of [...this.#byId.values()]) this.release(handle)
  }

  get count(): number {
    return this.#byId.size
  }

  /** Releases handles beyond the limits. The map's order is from least to most recently used. */
  #releaseExcess(page: string): void {
    const pageHandles = [...this.#byId.values()].filter((handle) => handle.page === page)
    const oldestAllowed = this.#now() - MAX_IDLE_MS
    pageHandles
      .slice(0, Math.max(0, pageHandles.length - MAX_CONTENT_HANDLES))
      .forEach((handle) => this.release(handle))
    for (const handle of [...this.#byId.values()]) if (handle.usedAt < oldestAllowed) this.release(handle)
  }
}
