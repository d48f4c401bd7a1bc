import type { BandView } from '../../model/cards/bands.ts'

/** Height in the host's unit of a band without a height, if no lower band has one. */
const DEFAULT_HEIGHT_UNITS = 240

/** Heights by the band's index. One without a height is as high as the lowest with one. */
export function getDrawnHeights(bands: readonly BandView[]): ReadonlyMap<number, number> {
  const lowest = bands.reduce(
    (minHeight, { height }) => (height !== null && height > 0 ? Math.min(minHeight, height) : minHeight),
    DEFAULT_HEIGHT_UNITS,
  )
  return new Map(bands.map(({ index, height }) => [index, height !== null && height > 0 ? height : lowest]))
}

/** Height of all bands together, in the host's unit. */
export function sumDrawnHeights(bands: readonly BandView[]): number {
  return [...getDrawnHeights(bands).values()].reduce((sum, height) => sum + height, 0)
}
