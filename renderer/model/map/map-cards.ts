import type { CardGlyph } from './card-glyphs.ts'
import type { GhostLayer } from './map-ghosts.ts'

/** What is known of the cards of a layout. */
export interface MapCards {
  /** The title in one line, cut to a width at `FONT_PX`. */
  fitTitle(row: number, maxWidth: number, isBold: boolean): string
  getHiddenCount(row: number): number
  /** 2 for a match of the filter, 1 for the others that it shows; 0 without a filter. */
  getMatch(row: number): number
  /** Whether one of the rows from `row` on has a problem. */
  hasProblem(row: number, rowCount: number): boolean
  isSubMap(row: number): boolean
  /** The color level of a card plus 1; 0 if its color is unknown. */
  getLevel(row: number): number
  /** Colors as CSS, by level. */
  readonly levelColors: ReadonlyMap<number, string>
  /** What a card holds; empty if it was not read. */
  getGlyphs(row: number): readonly CardGlyph[]
  getChange(row: number): 'added' | 'moved' | 'changed' | null
  readonly selectedRow: number
  readonly currentRow: number
  /** Null or absent if no row is a ghost. */
  readonly ghosts?: GhostLayer | null
  formatCount(count: number): string
}
