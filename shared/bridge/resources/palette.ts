import { z } from 'zod'
import { promised } from '../schema-plan.ts'
import { versioned } from './common.ts'

const colorValueSchema = z.looseObject({
  hex: z.string(),
  rgba: z.looseObject({ r: z.number(), g: z.number(), b: z.number(), a: z.number() }),
})

const paletteColorSchema = z.looseObject({
  /** Level, starting at 0; it is not a fixed color name. */
  colorIndex: z.number(),
  baseColor: colorValueSchema,
  displayColor: colorValueSchema,
})
export type PaletteColor = z.infer<typeof paletteColorSchema>

/** spec §2 Palette. */
export const paletteSchema = z.looseObject({
  ...versioned,
  studySetId: promised(z.string()),
  title: promised(z.string()),
  count: promised(z.number()),
  source: promised(z.string()),
  appearance: promised(z.string()),
  colors: z.array(paletteColorSchema),
})
export type Palette = z.infer<typeof paletteSchema>
