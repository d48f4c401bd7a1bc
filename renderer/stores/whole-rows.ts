import type { Forest } from '../model/tree/forest.ts'
import { RowWalk, type Rows } from '../model/tree/rows.ts'
import { resting } from './resting.ts'

/** Fewer cards are walked through at once. */
const MANY = 50_000
/** Rows found in one go. */
const PART = 50_000

/**
 * The rows of a large tree with every card open, found while the page rests: expanding a million cards then need not go through all of them
 * first. They take 12 bytes a card.
 */
export class WholeRows {
  #walk: RowWalk | null = null
  #found: { readonly forest: Forest; readonly rows: Rows } | null = null

  /** Finds the rows of a forest, to which nothing may be added before `clear`. */
  async prepare(forest: Forest): Promise<void> {
    this.clear()
    if (forest.count < MANY) return
    const walk = new RowWalk(forest, null, null, forest.count)
    this.#walk = walk
    do {
      await resting()
      if (this.#walk !== walk) return
    } while (!walk.go(PART))
    this.#found = { forest, rows: walk.rows }
    this.#walk = null
  }

  /** The forest changes, or is another one. */
  clear(): void {
    this.#walk = null
    this.#found = null
  }

  /** The rows, if they are there and all cards are open. */
  get(forest: Forest): Rows | null {
    if (this.#found?.forest !== forest || forest.expanded.subarray(0, forest.count).includes(0)) return null
    return { ...this.#found.rows }
  }
}
