import { z } from 'zod'
import { promised, within } from '../schema-plan.ts'
import { versioned } from './common.ts'

/** Observed range (spec §2). */
const channel = within(0, 255)

const colorValueSchema = z.looseObject({
  hex: z.string(),
  rgba: z.looseObject({ r: channel, g: channel, b: channel, a: within(0, 1) }),
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
