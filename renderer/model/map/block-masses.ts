import { getGaps, type MapLayout } from './map-layout.ts'

/** Cells of a block along its branches. */
const MAX_CELLS = 16
const MIN_CELL_PX = 6
/** Rows of a block that are looked at. */
const MAX_SAMPLES = 48
/** The densities that differ to the eye. */
const LEVELS = 5

/** Shows where in a block its cards are: cells with many cards are darker than cells with few. */
export class BlockMasses {
  /** Left, top, width and height of the cells, from few cards to many. */
  readonly levels: readonly number[][] = Array.from({ length: LEVELS }, () => [])
  readonly #layout: MapLayout
  readonly #gap: number
  readonly #counts = new Uint16Array(MAX_CELLS)

  constructor(layout: MapLayout) {
    this.#layout = layout
    this.#gap = getGaps(layout.projection).along
  }

  addBlock(row: number, size: number, x: number, y: number, width: number, height: number): void {
    const isDown = this.#layout.projection === 'down'
    const length = isDown ? height : width
    const cellCount = Math.max(1, Math.min(MAX_CELLS, Math.floor(length / MIN_CELL_PX)))
    this.#count(row, size, cellCount)
    const maxCount = Math.max(1, ...this.#counts.subarray(0, cellCount))
    for (let cell = 0; cell < cellCount;) {
      const level = this.#getLevel(cell, maxCount)
      const start = cell
      while (cell < cellCount && this.#getLevel(cell, maxCount) === level) cell += 1
      if (level < 0) continue
      const [from, span] = [(start / cellCount) * length, ((cell - start) / cellCount) * length]
      if (isDown) this.levels[level]?.push(x, y + from, Math.max(1, width - 0.5), span)
      else this.levels[level]?.push(x + from, y, span, Math.max(1, height - 0.5))
    }
  }

  #getLevel(cell: number, maxCount: number): number {
    return Math.ceil(((this.#counts[cell] ?? 0) / maxCount) * LEVELS) - 1
  }

  #count(row: number, size: number, cellCount: number): void {
    const { along, alongSizes, alongMin, alongMax } = this.#layout
    this.#counts.fill(0)
    let [start, end] = [Infinity, -Infinity]
    for (let index = row; index < row + size; index = this.#layout.ends[index] ?? row + size) {
      start = Math.min(start, alongMin[index] ?? 0)
      end = Math.max(end, alongMax[index] ?? 0)
    }
    const scale = cellCount / Math.max(1, end - start)
    const step = Math.max(1, Math.floor(size / MAX_SAMPLES))
    for (let index = row; index < row + size; index += step) {
      const from = Math.floor(((along[index] ?? 0) - start) * scale)
      const to = Math.ceil(((along[index] ?? 0) + (alongSizes[index] ?? 0) - this.#gap - start) * scale)
      for (let cell = Math.max(0, from); cell < Math.min(cellCount, to); cell += 1)
        this.#counts[cell] = (this.#counts[cell] ?? 0) + 1
    }
  }
}
