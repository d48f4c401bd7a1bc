import type { ContentRef } from '../../../shared/ipc/content.ts'
import { Content } from './content.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import type { ContentPlan, ContentSource } from './content-source.ts'

const CACHE_BYTES = 64 * 1024 * 1024
/** Age up to which content is reused when it is opened again. */
const FRESH_MS = 60_000
/** Maximum number of responses whose rest stays unread while it waits for a reader. */
const MAX_TAILS = 4

/** An item without users is dropped, unless it is complete and cached. */
export interface LibraryItem {
  readonly plan: ContentPlan
  readonly content: Content
  userCount: number
  readonly startedAt: number
}

/**
 * All content that is in memory or arriving, once per request plan. A second request for the same
 * plan gets the same content. Complete contents are cached while there is room, and the least
 * recently used ones are dropped first.
 */
export class ContentLibrary {
  readonly #items = new Map<string, LibraryItem>()
  /** Items that hold bytes or an unread rest, even if they can no longer be looked up. */
  readonly #alive = new Set<LibraryItem>()
  readonly #source: ContentSource
  readonly #slots: ConcurrencyLimit
  readonly #cacheBytes: number

  constructor(source: ContentSource, slots: ConcurrencyLimit, cacheBytes = CACHE_BYTES) {
    this.#source = source
    this.#slots = slots
    this.#cacheBytes = cacheBytes
  }

  /** The content gets one more user, who must call `release`; `fresh` asks the host again. */
  use(plan: ContentPlan, page: string, isFresh: boolean): { item: LibraryItem; isCached: boolean } {
    const cachedItem = this.#items.get(plan.key)
    if (cachedItem && this.#canReuse(cachedItem, isFresh)) {
      cachedItem.userCount += 1
      this.#items.delete(plan.key)
      this.#items.set(plan.key, cachedItem)
      return { item: cachedItem, isCached: cachedItem.content.head !== null }
    }
    const item: LibraryItem = { plan, content: new Content(), userCount: 1, startedAt: performance.now() }
    this.#items.set(plan.key, item)
    this.#alive.add(item)
    if (cachedItem) this.#dropUnused(cachedItem)
    void this.#loadItem(item, page)
    return { item, isCached: false }
  }

  #canReuse({ content, startedAt, userCount }: LibraryItem, isFresh: boolean): boolean {
    if (content.state === 'failed') return false
    if (content.state === 'arriving') return userCount > 0
    return !isFresh && performance.now() - startedAt < FRESH_MS
  }

  async #loadItem(item: LibraryItem, page: string): Promise<void> {
    const { content, plan } = item
    let freeSlot = (): void => undefined
    await content.load(async (signal) => {
      freeSlot = await this.#slots.acquire(page, signal)
      return this.#source.open(plan, null, signal)
    })
    freeSlot()
    this.#dropUnused(item)
    this.#freeExcessMemory()
  }

  /** Requests the contents again when next opened; current users keep their bytes. */
  invalidate(isSelected: (ref: ContentRef) => boolean): void {
    for (const [key, item] of [...this.#items]) {
      if (!isSelected(item.plan.ref)) continue
      this.#items.delete(key)
      this.#dropUnused(item)
    }
  }

  release(item: LibraryItem): void {
    item.userCount -= 1
    this.#dropUnused(item)
  }

  #dropUnused(item: LibraryItem): void {
    const { content, plan, userCount } = item
    const isCurrent = this.#items.get(plan.key) === item
    if (content.state === 'failed' && isCurrent) this.#items.delete(plan.key)
    if (userCount > 0 || (isCurrent && content.state === 'whole')) return
    if (isCurrent) this.#items.delete(plan.key)
    this.#alive.delete(item)
    content.end()
  }

  #freeExcessMemory(): void {
    const items = [
      ...this.#items.values(),
      ...[...this.#alive].filter((item) => this.#items.get(item.plan.key) !== item),
    ]
    const tails = items.filter(({ content }) => content.hasTail)
    for (const { content } of tails.slice(0, Math.max(0, tails.length - MAX_TAILS))) content.dropTail()
    const completeItems = items.filter(({ content }) => content.state === 'whole')
    let bytes = completeItems.reduce((sum, { content }) => sum + content.size, 0)
    for (const item of completeItems) {
      if (bytes <= this.#cacheBytes) return
      bytes -= item.content.size
      item.content.freeMemory()
      this.#dropUnused(item)
    }
  }

  /** Number of bytes of all content that is held in memory. */
  get bytes(): number {
    return [...this.#alive].reduce((sum, { content }) => sum + content.size, 0)
  }

  close(): void {
    for (const { content } of this.#alive) content.end()
    this.#items.clear()
    this.#alive.clear()
  }
}
