import type { Forest } from '../model/tree/forest.ts'
import { TreeRowWalker, type TreeRows } from '../model/tree/tree-rows.ts'
import type { TreeWorker } from '../workers/tree-client.ts'
import type { TreeFinding } from '../workers/tree-protocol.ts'

/** A smaller tree is expanded at once without a cache. */
const MIN_CACHED_CARDS = 50_000
/** Rows found between two checks for idle time. */
const ROWS_PER_STEP = 50_000

/**
 * The rows of a large tree with every card expanded, computed while the page is idle, so that
 * expanding a million cards does not have to go through all of them first. They take 12 bytes a
 * card.
 */
export class ExpandedRowsCache {
  #walk: TreeRowWalker | null = null
  #cached: { readonly forest: Forest; readonly rows: TreeRows } | null = null

  /** Computes the rows of a forest, to which nothing may be added before `clear`. */
  async prepare(forest: Forest): Promise<void> {
    this.clear()
    if (forest.count < MIN_CACHED_CARDS) return
    const walk = new TreeRowWalker(forest, null, null, forest.count)
    this.#walk = walk
    do {
      await waitForIdle()
      if (this.#walk !== walk) return
    } while (!walk.advance(ROWS_PER_STEP))
    this.#cached = { forest, rows: walk.rows }
    this.#walk = null
  }

  /** Call it when the forest changes or is replaced. */
  clear(): void {
    this.#walk = null
    this.#cached = null
  }

  /** The rows, if they are computed and all cards are expanded. */
  get(forest: Forest): TreeRows | null {
    if (this.#cached?.forest !== forest || forest.expanded.subarray(0, forest.count).includes(0)) return null
    return { ...this.#cached.rows }
  }
}

interface Audit {
  /** Pages `from` up to, but not including, `to`. */
  readonly from: number
  readonly to: number
  /** Whether the tree is still the open one. */
  isOpen(): boolean
  note(findings: readonly TreeFinding[], total: number): void
}

/**
 * Finishes loaded pages: prepares them for the search and then, while the page is idle, checks them
 * for what parsing hid. One page at a time, so that the place is usable meanwhile. Ends early if
 * the worker does.
 */
export async function auditPages(worker: TreeWorker, { from, to, isOpen, note }: Audit): Promise<void> {
  for (let page = from; page < to; page += 1) {
    const isReady = await worker.prepareSearch(page).catch(() => false)
    if (!isReady || !isOpen()) return
  }
  for (let page = from; page < to; page += 1) {
    await waitForIdle()
    const result = isOpen() ? await worker.auditPage(page).catch(() => null) : null
    if (!result || !isOpen()) return
    if (result.total > 0) note(result.findings, result.total)
  }
}

/** A page that has no frame to draw reports more idle time than this. */
const MIN_IDLE_MS = 20
/** Work that waits for idle time continues after this time at the latest. */
const MAX_IDLE_WAIT_MS = 300

/**
 * Resolves once the page has nothing to draw, or after a while: deferrable work must not slow down
 * a scroll.
 */
export async function waitForIdle(): Promise<void> {
  const deadline = performance.now() + MAX_IDLE_WAIT_MS
  // A hidden page gets hardly any idle time.
  while (!document.hidden && performance.now() < deadline) {
    const remainingMs = await new Promise<number>((resolve) => {
      requestIdleCallback((deadline) => resolve(deadline.timeRemaining()), { timeout: MAX_IDLE_WAIT_MS })
    })
    if (remainingMs > MIN_IDLE_MS) return
  }
}
