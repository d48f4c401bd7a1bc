import type { ContentRef } from '../../../shared/ipc/content.ts'
import { Content } from './content.ts'
import type { Slots } from './slots.ts'
import type { ContentPlan, Upstream } from './upstream.ts'

/** Maximum bytes of all whole contents that are kept. */
const CACHE_BYTES = 64 * 1024 * 1024
/** How long a content can be looked up; what is being shown stays. */
const FRESH_MS = 60_000
/** Maximum number of answers whose rest is waiting for a reader. */
const MOST_TAILS = 4

/** A content and the number of its users; without users it ends, unless it is whole and kept. */
export interface Item {
  readonly plan: ContentPlan
  readonly content: Content
  users: number
  readonly startedAt: number
}

/**
 * The contents that are here or on their way, one per request: a request for something already requested gets the same one. Whole ones
 * are kept while there is room; the least recently used are dropped first.
 */
export class Library {
  readonly #items = new Map<string, Item>()
  /** All that hold bytes or an unread rest, including those that can no longer be looked up. */
  readonly #alive = new Set<Item>()
  readonly #upstream: Upstream
  readonly #slots: Slots
  readonly #cacheBytes: number

  constructor(upstream: Upstream, slots: Slots, cacheBytes = CACHE_BYTES) {
    this.#upstream = upstream
    this.#slots = slots
    this.#cacheBytes = cacheBytes
  }

  /** The content of a plan, with one more user; `found` if it needed no request. `fresh` asks the host again. */
  use(plan: ContentPlan, page: string, fresh: boolean): { item: Item; found: boolean } {
    const known = this.#items.get(plan.key)
    if (known && this.#usable(known, fresh)) {
      known.users += 1
      this.#items.delete(plan.key)
      this.#items.set(plan.key, known)
      return { item: known, found: known.content.known !== null }
    }
    const item: Item = { plan, content: new Content(), users: 1, startedAt: performance.now() }
    this.#items.set(plan.key, item)
    this.#alive.add(item)
    if (known) this.#settle(known)
    void this.#start(item, page)
    return { item, found: false }
  }

  #usable({ content, startedAt, users }: Item, fresh: boolean): boolean {
    if (content.state === 'failed') return false
    if (content.state === 'arriving') return users > 0
    return !fresh && performance.now() - startedAt < FRESH_MS
  }

  async #start(item: Item, page: string): Promise<void> {
    const { content, plan } = item
    let leave = (): void => undefined
    await content.arrive(async (signal) => {
      leave = await this.#slots.enter(page, signal)
      return this.#upstream.open(plan, null, signal)
    })
    leave()
    this.#settle(item)
    this.#makeRoom()
  }

  /** From now on, these contents are requested from the host again when they are opened; what is being shown stays. */
  forget(which: (ref: ContentRef) => boolean): void {
    for (const [key, item] of [...this.#items]) {
      if (!which(item.plan.ref)) continue
      this.#items.delete(key)
      this.#settle(item)
    }
  }

  leave(item: Item): void {
    item.users -= 1
    this.#settle(item)
  }

  #settle(item: Item): void {
    const { content, plan, users } = item
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
    for (const { content } of tails.slice(0, Math.max(0, tails.length - MOST_TAILS))) content.dropTail()
    const whole = items.filter(({ content }) => content.state === 'whole')
    let bytes = whole.reduce((sum, { content }) => sum + content.size, 0)
    for (const item of whole) {
      if (bytes <= this.#cacheBytes) return
      bytes -= item.content.size
      item.content.drop()
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
