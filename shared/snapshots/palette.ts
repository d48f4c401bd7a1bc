/** The colors of a study set as a snapshot keeps them, and what differs between two of them. */
import { z } from 'zod'

/** A palette with more levels is not kept. Hosts were observed to send 16. */
const MAX_LEVELS = 256

/** `#RRGGBB`, with two more digits for a color that is not opaque. */
const colorSchema = z.string().regex(/^#[0-9A-F]{6}(?:[0-9A-F]{2})?$/)
const levelSchema = z.strictObject({
  colorIndex: z.number().int().nonnegative(),
  base: colorSchema,
  display: colorSchema,
})

export const snapshotPaletteSchema = z.strictObject({
  /** The theme for which the display colors were computed; null if the host did not say. */
  appearance: z.string().nullable(),
  /** By level, each level once. */
  levels: z.array(levelSchema).max(MAX_LEVELS),
})
export type SnapshotPalette = z.infer<typeof snapshotPaletteSchema>

export const levelChangeSchema = z.strictObject({
  colorIndex: z.number().int().nonnegative(),
  /** Null if the palette had no such level. */
  before: levelSchema.nullable(),
  /** Null if the palette has no such level any more. */
  after: levelSchema.nullable(),
})
export type LevelChange = z.infer<typeof levelChangeSchema>

/** Display colors are compared only between palettes of the same theme: they follow from it. */
export function comparePalettes(before: SnapshotPalette, after: SnapshotPalette): LevelChange[] {
  const isSameTheme = before.appearance !== null && before.appearance === after.appearance
  const levels = [before, after].map((palette) => new Map(palette.levels.map((level) => [level.colorIndex, level])))
  const indexes = [...new Set(levels.flatMap((map) => [...map.keys()]))].sort((first, second) => first - second)
  return indexes.flatMap((colorIndex) => {
    const [old = null, current = null] = levels.map((map) => map.get(colorIndex))
    const isEqual =
      old !== null && current !== null && old.base === current.base && (!isSameTheme || old.display === current.display)
    return isEqual ? [] : { colorIndex, before: old, after: current }
  })
}
