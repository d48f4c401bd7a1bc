import type { MapCards } from './map-cards.ts'
import { type MapLayout, getGaps } from './map-layout.ts'

/** Cells of a block along its branches. */
const MAX_CELLS = 16
const MIN_CELL_PX = 6
/** Rows of a block that are looked at. */
const MAX_SAMPLES = 48
/** The densities that differ to the eye. */
const DENSITIES = 5
/** Cards of higher levels count as cards without a color. */
const MAX_LEVELS = 64
/** The level of cells in which the filter finds a card. */
const LIT_LEVEL = MAX_LEVELS

/** The cells of one density and one color. */
interface BlockCells {
  /** Above 0, at most 1. */
  readonly density: number
  /** The color level plus 1; 0 if fewer than half of the cards have a known color; `LIT_LEVEL`. */
  readonly level: number
  /** Left, top, width and height of each cell. */
  readonly boxes: number[]
}

/** Shows where a block has cards: darker where there are many, in the color of most of them. */
class BlockMasses {
  readonly #cells = new Map<number, BlockCells>()
  readonly #layout: MapLayout
  readonly #getLevel: (row: number) => number
  readonly #isLit: (row: number) => boolean
  readonly #gap: number
  readonly #counts = new Uint16Array(MAX_CELLS)
  /** The color and the density of each cell as one number; -1 for an empty cell. */
  readonly #kinds = new Int16Array(MAX_CELLS)
  readonly #litCells = new Uint8Array(MAX_CELLS)
  readonly #levelCounts = new Uint16Array(MAX_CELLS * MAX_LEVELS)
  /** One more than the highest level in the block. */
  #levelLimit = 0

  /** Takes a row's color level plus 1, or 0 (`getLevel`), and if the filter finds it (`isLit`). */
  constructor(layout: MapLayout, getLevel: (row: number) => number, isLit: (row: number) => boolean) {
    this.#layout = layout
    this.#getLevel = getLevel
    this.#isLit = isLit
    this.#gap = getGaps(layout.projection).along
  }

  /** Sorted from few cards to many, and those without a color first. */
  get cells(): readonly BlockCells[] {
    return [...this.#cells].sort(([first], [second]) => first - second).map(([, cells]) => cells)
  }

  addBlock(row: number, size: number, x: number, y: number, width: number, height: number): void {
    const isDown = this.#layout.projection === 'down'
    const length = isDown ? height : width
    const cellCount = Math.max(1, Math.min(MAX_CELLS, Math.floor(length / MIN_CELL_PX)))
    this.#count(row, size, cellCount)
    const maxCount = Math.max(1, ...this.#counts.subarray(0, cellCount))
    for (let cell = 0; cell < cellCount; cell += 1) this.#kinds[cell] = this.#findKind(cell, maxCount)
    for (let cell = 0; cell < cellCount;) {
      const kind = this.#kinds[cell] ?? -1
      const start = cell
      while (cell < cellCount && this.#kinds[cell] === kind) cell += 1
      if (kind < 0) continue
      const { boxes } = this.#getCells(kind)
      const [from, span] = [(start / cellCount) * length, ((cell - start) / cellCount) * length]
      if (isDown) boxes.push(x, y + from, Math.max(1, width - 0.5), span)
      else boxes.push(x + from, y, span, Math.max(1, height - 0.5))
    }
  }

  #getCells(kind: number): BlockCells {
    const existing = this.#cells.get(kind)
    if (existing) return existing
    const cells = { density: ((kind % DENSITIES) + 1) / DENSITIES, level: Math.floor(kind / DENSITIES), boxes: [] }
    this.#cells.set(kind, cells)
    return cells
  }

  #findKind(cell: number, maxCount: number): number {
    const count = this.#counts[cell] ?? 0
    if (count === 0) return -1
    const level = this.#litCells[cell] === 1 ? LIT_LEVEL : this.#findLevel(cell)
    return level * DENSITIES + Math.ceil((count / maxCount) * DENSITIES) - 1
  }

  #findLevel(cell: number): number {
    let [coloredCount, best, bestCount] = [0, 0, 0]
    for (let level = 1; level < this.#levelLimit; level += 1) {
      const count = this.#levelCounts[cell * MAX_LEVELS + level] ?? 0
      coloredCount += count
      if (count > bestCount) [best, bestCount] = [level, count]
    }
    return coloredCount * 2 >= (this.#counts[cell] ?? 0) ? best : 0
  }

  #count(row: number, size: number, cellCount: number): void {
    const { along, alongSizes, alongMin, alongMax } = this.#layout
    this.#counts.fill(0)
    this.#litCells.fill(0)
    if (this.#levelLimit > 0) this.#levelCounts.fill(0)
    this.#levelLimit = 0
    let [start, end] = [Infinity, -Infinity]
    for (let index = row; index < row + size; index = this.#layout.ends[index] ?? row + size) {
      start = Math.min(start, alongMin[index] ?? 0)
      end = Math.max(end, alongMax[index] ?? 0)
    }
    const scale = cellCount / Math.max(1, end - start)
    const step = Math.max(1, Math.floor(size / MAX_SAMPLES))
    // The last row has no cards below, so it is one that the filter finds, if there is a filter.
    const last = row + size - 1
    for (let index = row; ; index = Math.min(index + step, last)) {
      const from = Math.floor(((along[index] ?? 0) - start) * scale)
      const to = Math.ceil(((along[index] ?? 0) + (alongSizes[index] ?? 0) - this.#gap - start) * scale)
      const level = this.#getLevel(index)
      const isLit = this.#isLit(index)
      const isColored = level > 0 && level < MAX_LEVELS
      if (isColored) this.#levelLimit = Math.max(this.#levelLimit, level + 1)
      for (let cell = Math.max(0, from); cell < Math.min(cellCount, to); cell += 1) {
        this.#counts[cell] = (this.#counts[cell] ?? 0) + 1
        if (isLit) this.#litCells[cell] = 1
        const position = cell * MAX_LEVELS + level
        if (isColored) this.#levelCounts[position] = (this.#levelCounts[position] ?? 0) + 1
      }
      if (index === last) break
    }
  }
}

/** Boxes of one fill, which need no path. */
export interface SceneBlocks {
  /** A tone, or a color of the host's palette as CSS. */
  readonly fill: string
  readonly opacity: number
  readonly boxes: Float32Array
}

/** Small cards are as strong as blocks with many cards. */
const CARD_OPACITY = 0.6
const PROBLEM_PX = 4
const CHANGE_PX = 3
export const CHANGE_TONES = { added: 'ok', moved: 'accent', changed: 'warning' } as const

/** Cards without text, corners and lines: blocks, and cards that are drawn as plain boxes. */
export class SmallCards {
  readonly #isDown: boolean
  readonly #cards: MapCards
  readonly #masses: BlockMasses
  readonly #boxes = new Map<string, number[]>()
  readonly #litBoxes: number[] = []
  readonly #changes = { added: [], moved: [], changed: [] } as Record<keyof typeof CHANGE_TONES, number[]>
  readonly #problems: number[] = []

  constructor(layout: MapLayout, cards: MapCards) {
    this.#isDown = layout.projection === 'down'
    this.#cards = cards
    this.#masses = new BlockMasses(
      layout,
      (row) => cards.getLevel(row),
      (row) => cards.getMatch(row) === 2,
    )
  }

  get blocks(): SceneBlocks[] {
    const { levelColors } = this.#cards
    return [
      ...this.#masses.cells.map(({ density, level, boxes }) => ({
        fill: level === LIT_LEVEL ? 'path' : (levelColors.get(level - 1) ?? 'block'),
        opacity: level === LIT_LEVEL ? 1 : density,
        boxes: Float32Array.from(boxes),
      })),
      ...[...this.#boxes].map(([fill, boxes]) => ({ fill, opacity: CARD_OPACITY, boxes: Float32Array.from(boxes) })),
      { fill: 'path', opacity: 1, boxes: Float32Array.from(this.#litBoxes) },
      ...(['added', 'moved', 'changed'] as const).map((change) => ({
        fill: CHANGE_TONES[change],
        opacity: 1,
        boxes: Float32Array.from(this.#changes[change]),
      })),
      { fill: 'warning', opacity: 1, boxes: Float32Array.from(this.#problems) },
    ]
  }

  addBlock(row: number, size: number, x: number, y: number, width: number, height: number): void {
    this.#masses.addBlock(row, size, x, y, width, height)
    if (this.#cards.hasProblem(row, size)) this.#addProblem(x, y, width, height)
  }

  /** @param isLit whether the card matches the filter or leads to the selected card */
  addCard(row: number, isLit: boolean, x: number, y: number, width: number, height: number): void {
    const fill = this.#cards.levelColors.get(this.#cards.getLevel(row) - 1) ?? 'block'
    const boxes = isLit ? this.#litBoxes : (this.#boxes.get(fill) ?? [])
    if (!isLit) this.#boxes.set(fill, boxes)
    boxes.push(x, y, Math.max(1, width), Math.max(1, height))
    const change = this.#cards.getChange(row)
    if (change !== null) this.#changes[change].push(x - CHANGE_PX - 1, y, CHANGE_PX, Math.max(1, height))
    if (this.#cards.hasProblem(row, 1)) this.#addProblem(x, y, width, height)
  }

  /** Stands at the beginning of a shape, so that the eye can follow a column of them. */
  #addProblem(x: number, y: number, width: number, height: number): void {
    const [left, top] = this.#isDown ? [x + width / 2, y] : [x, y + height / 2]
    this.#problems.push(left - PROBLEM_PX / 2, top - PROBLEM_PX / 2, PROBLEM_PX, PROBLEM_PX)
  }
}
