import type { CardGlyph } from './card-glyphs.ts'
import { findPosition, type GhostLayer } from './map-ghosts.ts'
import type { SubMapFrames } from './sub-map-frames.ts'

export interface MapCards {
  /** The title in one line, cut to a width at `FONT_PX`. */
  fitTitle(row: number, maxWidth: number, isBold: boolean): string
  getHiddenCount(row: number): number
  /** 2 for a match of the filter, 1 for the others that it shows; 0 without a filter. */
  getMatch(row: number): number
  /** Rows from `row` on. */
  hasProblem(row: number, rowCount: number): boolean
  isSubMap(row: number): boolean
  /** The frames of the sub-maps that the host lists; absent if it lists none. */
  readonly subMapFrames?: SubMapFrames
  /** The color level of a card plus 1; 0 if its color is unknown. */
  getLevel(row: number): number
  /** Colors as CSS, by level. */
  readonly levelColors: ReadonlyMap<number, string>
  /** Empty if the card was not read. */
  getGlyphs(row: number): readonly CardGlyph[]
  getChange(row: number): 'added' | 'moved' | 'changed' | null
  readonly selectedRow: number
  readonly currentRow: number
  /** Null or absent if no row is a ghost. */
  readonly ghosts?: GhostLayer | null
  formatCount(count: number): string
}

export function countDescendants(parents: Int32Array, childCounts: Uint32Array): Uint32Array {
  const counts = new Uint32Array(parents.length)
  const pending = childCounts.slice()
  for (let leaf = 0; leaf < parents.length; leaf += 1) {
    if (childCounts[leaf] !== 0) continue
    // A parent is counted when its last child is.
    for (let node = leaf; ;) {
      const parent = parents[node] ?? -1
      if (parent < 0) break
      counts[parent] = (counts[parent] ?? 0) + (counts[node] ?? 0) + 1
      pending[parent] = (pending[parent] ?? 1) - 1
      if (pending[parent] !== 0) break
      node = parent
    }
  }
  return counts
}

/** @param numbers in ascending order */
export function hasNumberInRange(numbers: ArrayLike<number>, start: number, end: number): boolean {
  return (numbers[findPosition(numbers, start)] ?? end) < end
}

/** Formats a count with at most four characters: `12`, `3.4k`, `120k`, `1.2M`. */
export function formatCount(count: number): string {
  if (count < 1_000) return String(count)
  const [value, unit] = count < 1_000_000 ? [count / 1_000, 'k'] : [count / 1_000_000, 'M']
  return `${value < 10 ? value.toFixed(1).replace('.0', '') : Math.floor(value)}${unit}`
}
