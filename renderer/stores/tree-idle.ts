import type { Forest } from '../model/tree/forest.ts'
import { TreeRowWalker, type TreeRows } from '../model/tree/tree-rows.ts'
import type { TreeWorker } from '../workers/tree-client.ts'
import type { TreeFinding } from '../workers/tree-protocol.ts'

/** A smaller tree can be expanded fast enough without a cache. */
const MIN_CACHED_CARDS = 50_000
/** Number of rows found between two checks for idle time. */
const ROWS_PER_STEP = 50_000

/** Computes all rows of a large tree while idle, so that a million expand fast (12 bytes each). */
export class ExpandedRowsCache {
  #walk: TreeRowWalker | null = null
  #cached: { readonly forest: Forest; readonly rows: TreeRows } | null = null

  /** No nodes may be added to the forest before `clear` is called. */
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

  /** Returns null if the rows are not computed or some cards are collapsed. */
  get(forest: Forest): TreeRows | null {
    if (this.#cached?.forest !== forest || forest.expanded.subarray(0, forest.count).includes(0)) return null
    return { ...this.#cached.rows }
  }
}

interface Audit {
  /** The pages from `from` up to, but not including, `to`. */
  readonly from: number
  readonly to: number
  /** Returns false if a different tree was opened in the meantime. */
  isOpen(): boolean
  note(findings: readonly TreeFinding[], total: number): void
}

/**
 * Prepares loaded pages for the search and then, while the page is idle, finds errors that parsing
 * hides. Listing pages are processed one at a time, so that the tree stays usable. Ends early if
 * the worker fails.
 */
export async function auditPages(worker: TreeWorker, { from, to, isOpen, note }: Audit): Promise<void> {
  for (let page = from; page < to; page += 1) {
    const isReady = await worker.call('prepareSearch', page).then(
      () => true,
      () => false,
    )
    if (!isReady || !isOpen()) return
  }
  for (let page = from; page < to; page += 1) {
    await waitForIdle()
    const result = isOpen() ? await worker.call('auditPage', page).catch(() => null) : null
    if (!result || !isOpen()) return
    if (result.total > 0) note(result.findings, result.total)
  }
}

/** The browser reports more idle time than this if there is no frame to draw. */
const MIN_IDLE_MS = 20
/** Work that waits for idle time continues after this time at the latest. */
const MAX_IDLE_WAIT_MS = 300

/** Resolves after `MAX_IDLE_WAIT_MS` at the latest: background work must not slow scrolling. */
export async function waitForIdle(): Promise<void> {
  const deadline = performance.now() + MAX_IDLE_WAIT_MS
  // The browser gives hardly any idle time to a hidden page.
  while (!document.hidden && performance.now() < deadline) {
    const remainingMs = await new Promise<number>((resolve) => {
      requestIdleCallback((idle) => resolve(idle.timeRemaining()), { timeout: MAX_IDLE_WAIT_MS })
    })
    if (remainingMs > MIN_IDLE_MS) return
  }
}
