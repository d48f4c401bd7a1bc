import type { ContentRef } from '../../../shared/ipc/content.ts'
import { Content } from './content.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import type { ContentPlan, ContentSource } from './content-source.ts'

/** Maximum bytes of all whole contents that are kept. */
const CACHE_BYTES = 64 * 1024 * 1024
/** How long a content can be looked up; what is being shown stays. */
const FRESH_MS = 60_000
/** Maximum number of answers whose rest is waiting for a reader. */
const MAX_TAILS = 4

/** A content and the number of its users; without users it ends, unless it is whole and kept. */
export interface LibraryItem {
  readonly plan: ContentPlan
  readonly content: Content
  userCount: number
  readonly startedAt: number
}

/**
 * The contents that are here or on their way, one per request: a request for something already
 * requested gets the same one. Whole ones are kept while there is room; the least recently used are
 * dropped first.
 */
export class ContentLibrary {
  readonly #items = new Map<string, LibraryItem>()
  /** All that hold bytes or an unread rest, including those that can no longer be looked up. */
  readonly #alive = new Set<LibraryItem>()
  readonly #upstream: ContentSource
  readonly #slots: ConcurrencyLimit
  readonly #cacheBytes: number

  constructor(upstream: ContentSource, slots: ConcurrencyLimit, cacheBytes = CACHE_BYTES) {
    this.#upstream = upstream
    this.#slots = slots
    this.#cacheBytes = cacheBytes
  }

  /**
   * The content of a plan, with one more user; `found` if it needed no request. `fresh` asks the
   * host again.
   */
  use(plan: ContentPlan, page: string, fresh: boolean): { item: LibraryItem; isCached: boolean } {
    const known = this.#items.get(plan.key)
    if (known && this.#usable(known, fresh)) {
      known.userCount += 1
      this.#items.delete(plan.key)
      this.#items.set(plan.key, known)
      return { item: known, isCached: known.content.head !== null }
    }
    const item: LibraryItem = { plan, content: new Content(), userCount: 1, startedAt: performance.now() }
    this.#items.set(plan.key, item)
    this.#alive.add(item)
    if (known) this.#settle(known)
    void this.#start(item, page)
    return { item, isCached: false }
  }

  #usable({ content, startedAt, userCount: users }: LibraryItem, fresh: boolean): boolean {
    if (content.state === 'failed') return false
    if (content.state === 'arriving') return users > 0
    return !fresh && performance.now() - startedAt < FRESH_MS
  }

  async #start(item: LibraryItem, page: string): Promise<void> {
    const { content, plan } = item
    let freeSlot = (): void => undefined
    await content.load(async (signal) => {
      freeSlot = await this.#slots.acquire(page, signal)
      return this.#upstream.open(plan, null, signal)
    })
    freeSlot()
    this.#settle(item)
    this.#makeRoom()
  }

  /**
   * From now on, these contents are requested from the host again when they are opened; what is
   * being shown stays.
   */
  invalidate(which: (ref: ContentRef) => boolean): void {
    for (const [key, item] of [...this.#items]) {
      if (!which(item.plan.ref)) continue
      this.#items.delete(key)
      this.#settle(item)
    }
  }

  release(item: LibraryItem): void {
    item.userCount -= 1
    this.#settle(item)
  }

  #settle(item: LibraryItem): void {
    const { content, plan, userCount: users } = item
    const current = this.#items.get(plan.key) === item
    if (content.state === 'failed' && current) this.#items.delete(plan.key)
    if (users > 0 || (current && content.state === 'whole')) return
    if (current) this.#items.delete(plan.key)
    this.#alive.delete(item)
    content.end()
  }

  #makeRoom(): void {
    const items = [
      ...this.#items.values(),
      ...[...this.#alive].filter((item) => this.#items.get(item.plan.key) !== item),
    ]
    const tails = items.filter(({ content }) => content.hasTail)
    for (const { content } of tails.slice(0, Math.max(0, tails.length - MAX_TAILS))) content.dropTail()
    const whole = items.filter(({ content }) => content.state === 'whole')
    let bytes = whole.reduce((sum, { content }) => sum + content.size, 0)
    for (const item of whole) {
      if (bytes <= this.#cacheBytes) return
      bytes -= item.content.size
      item.content.freeMemory()
      this.#settle(item)
    }
  }

  /** Bytes held in memory. */
  get bytes(): number {
    return [...this.#alive].reduce((sum, { content }) => sum + content.size, 0)
  }

  /** Ends everything. */
  close(): void {
    for (const { content } of this.#alive) content.end()
    this.#items.clear()
    this.#alive.clear()
  }
}
