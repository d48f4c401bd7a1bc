import type { Forest } from '../model/tree/forest.ts'
import { RowWalk, type TreeRows } from '../model/tree/tree-rows.ts'
import type { TreeWorker } from '../workers/tree-client.ts'
import type { TreeFinding } from '../workers/tree-protocol.ts'

/** Fewer cards are walked through at once. */
const MANY = 50_000
/** Rows found in one go. */
const PART = 50_000

/**
 * The rows of a large tree with every card open, found while the page rests: expanding a million cards then need not go through all of them
 * first. They take 12 bytes a card.
 */
export class ExpandedRowsCache {
  #walk: RowWalk | null = null
  #found: { readonly forest: Forest; readonly rows: TreeRows } | null = null

  /** Finds the rows of a forest, to which nothing may be added before `clear`. */
  async prepare(forest: Forest): Promise<void> {
    this.clear()
    if (forest.count < MANY) return
    const walk = new RowWalk(forest, null, null, forest.count)
    this.#walk = walk
    do {
      await waitForIdle()
      if (this.#walk !== walk) return
    } while (!walk.advance(PART))
    this.#found = { forest, rows: walk.rows }
    this.#walk = null
  }

  /** The forest changes, or is another one. */
  clear(): void {
    this.#walk = null
    this.#found = null
  }

  /** The rows, if they are there and all cards are open. */
  get(forest: Forest): TreeRows | null {
    if (this.#found?.forest !== forest || forest.expanded.subarray(0, forest.count).includes(0)) return null
    return { ...this.#found.rows }
  }
}

interface Audit {
  /** Pages `from` up to, but not including, `to`. */
  readonly from: number
  readonly to: number
  /** Whether the tree is still the one that is open. */
  isOpen(): boolean
  note(findings: readonly TreeFinding[], total: number): void
}

/**
 * What is left to do once pages are loaded: they are made ready to be searched, and then, while the page rests, checked for what parsing
 * hid. One at a time, so that the place is usable meanwhile. Ends early if the worker does.
 */
export async function auditPages(worker: TreeWorker, { from, to, isOpen, note }: Audit): Promise<void> {
  for (let page = from; page < to; page += 1) {
    const ready = await worker.prepareSearch(page).catch(() => false)
    if (!ready || !isOpen()) return
  }
  for (let page = from; page < to; page += 1) {
    await waitForIdle()
    const result = isOpen() ? await worker.auditPage(page).catch(() => null) : null
    if (!result || !isOpen()) return
    if (result.total > 0) note(result.findings, result.total)
  }
}

/** Idle time of a page that has no frame to draw is longer than this, ms. */
const IDLE_MS = 20
/** Work that waits for the page to rest is done a part at a time at least this often, ms. */
const LATEST_MS = 300

/** Resolves once the page has nothing to draw, or after a while: what need not be done at once must not slow down a scroll. */
export async function waitForIdle(): Promise<void> {
  const latest = performance.now() + LATEST_MS
  // A page that nobody sees gets hardly any idle time.
  while (!document.hidden && performance.now() < latest) {
    const left = await new Promise<number>((resolve) => {
      requestIdleCallback((idle) => resolve(idle.timeRemaining()), { timeout: LATEST_MS })
    })
    if (left > IDLE_MS) return
  }
}
