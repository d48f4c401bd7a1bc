import {
  createVisibleFinder,
  placeGhosts,
  type GhostLayer,
  type MapGhosts,
  type PlacedGhosts,
  type VisibleCards,
} from '../model/map/map-ghosts.ts'
import type { MapProjection, MapRows } from '../model/map/map-layout.ts'
import type { TitleWidths } from '../model/map/title-width.ts'
import type { MapPlan } from './map-protocol.ts'

const GROUP_WIDTH_PX = 28

/** Never changes, because a file that is written shows the ghosts of its beginning. */
export class MapGhostRows {
  readonly #ghosts: MapGhosts | null
  readonly #widths: Uint16Array
  /** Null if the layout has no ghosts. */
  readonly #placed: PlacedGhosts | null
  readonly layer: GhostLayer | null

  constructor(
    ghosts: MapGhosts | null,
    widths: Uint16Array = new Uint16Array(),
    placed: PlacedGhosts | null = null,
    targetRows: Int32Array = new Int32Array(),
  ) {
    this.#ghosts = ghosts
    this.#widths = widths
    this.#placed = placed
    this.layer = placed && {
      ghostRows: placed.ghostRows,
      targetRows,
      isRemoved: (index) => ghosts?.removed[index] === 1,
    }
  }

  measure(getWidths: () => TitleWidths): MapGhostRows {
    if (this.#ghosts === null) return this
    const [encoder, widths] = [new TextEncoder(), getWidths()]
    const estimate = (title: string): number => widths.estimate(encoder.encode(title))
    return new MapGhostRows(this.#ghosts, Uint16Array.from(this.#ghosts.titles, estimate))
  }

  /** Finds the rows. Columns count the cards that there are, and have no ghosts. */
  place(rows: MapRows, projection: MapProjection, cards: VisibleCards): MapGhostRows {
    const hasRows = this.#ghosts !== null && projection !== 'icicle'
    return new MapGhostRows(this.#ghosts, this.#widths, hasRows ? placeGhosts(rows, this.#ghosts, cards) : null)
  }

  /** @param cards with their rows in the layout */
  findTargets(cards: Pick<VisibleCards, 'rowByNode' | 'parents'>): MapGhostRows {
    if (this.#placed === null) return this
    const targetRows = Int32Array.from(this.#ghosts?.cards ?? [], createVisibleFinder(cards))
    return new MapGhostRows(this.#ghosts, this.#widths, this.#placed, targetRows)
  }

  /** Rows of cards and ghosts; null if there are no ghosts. */
  get rows(): MapRows | null {
    return this.#placed?.rows ?? null
  }

  get plan(): MapPlan['ghosts'] {
    if (this.#placed === null) return null
    const { groups, drawn: drawnCount, grouped, outside } = this.#placed
    return { groups, drawn: drawnCount, grouped, outside }
  }

  /** The title of a ghost, or the number of those in a group. */
  getTitle(index: number): string {
    const group = this.#placed?.groups[index - (this.#ghosts?.titles.length ?? 0)]
    return this.#ghosts?.titles[index] ?? String(group?.count ?? '')
  }

  getWidth(index: number): number {
    return this.#widths[index] ?? GROUP_WIDTH_PX
  }

  getBelow(index: number): number {
    return this.#ghosts?.below[index] ?? 0
  }
}
