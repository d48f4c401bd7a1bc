import { createVisibleFinder, type VisibleCards } from '../model/map/map-ghosts.ts'
import { layOutPath, type MapPath, type PathLayer } from '../model/map/map-path.ts'

/** The path of calls in the worker, with the rows to which its steps belong. */
export class MapPathRows {
  #path: MapPath | null = null
  #callCount = 0
  /** Null while it has to be found anew. */
  #layer: PathLayer | null = null

  set(path: MapPath | null): void {
    this.#path = path
    this.#layer = null
  }

  showCalls(count: number): void {
    this.#callCount = count
    this.#layer = null
  }

  /** Must be called once the rows of cards are others. */
  forgetRows(): void {
    this.#layer = null
  }

  getLayer(cards: Pick<VisibleCards, 'rowByNode' | 'parents'>): PathLayer | null {
    if (this.#path === null) return null
    this.#layer ??= layOutPath(
      this.#path,
      this.#callCount,
      createVisibleFinder(cards),
      (node) => (cards.rowByNode[node] ?? -1) >= 0,
    )
    return this.#layer
  }
}
