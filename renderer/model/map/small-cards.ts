import { BlockMasses, LIT_LEVEL } from './block-masses.ts'
import type { MapCards } from './map-cards.ts'
import type { MapLayout } from './map-layout.ts'

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
