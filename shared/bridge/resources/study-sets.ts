import { z } from 'zod'
import { versionMembers } from './common.ts'
import {
  createCount,
  createFormattedText,
  createRangedNumber,
  markComplete,
  markKnownValues,
  markPromised,
} from './schema-plan.ts'

/** Hosts were observed to send this range (spec §2). */
const colorChannelSchema = createRangedNumber(0, 255)

const colorValueSchema = markComplete(
  z.looseObject({
    hex: createFormattedText('#RRGGBB', /^#[0-9a-f]{6}$/i),
    rgba: markComplete(
      z.looseObject({
        r: colorChannelSchema,
        g: colorChannelSchema,
        b: colorChannelSchema,
        /** Observed as 1; the spec does not show its range. */
        a: z.number(),
      }),
    ),
  }),
)

const paletteColorSchema = markComplete(
  z.looseObject({
    /** The level, starting at 0; it is not a fixed color. */
    colorIndex: createCount(),
    baseColor: colorValueSchema,
    displayColor: colorValueSchema,
  }),
)
export type PaletteColor = z.infer<typeof paletteColorSchema>

/** See spec §2 Palette. */
export const paletteSchema = markComplete(
  z.looseObject({
    ...versionMembers,
    studySetId: markPromised(z.string()),
    title: markPromised(z.string()),
    count: markPromised(createCount()),
    source: markPromised(z.string()),
    appearance: markPromised(z.string()),
    colors: z.array(paletteColorSchema),
  }),
  ['bridgeApiVersion'],
)
export type Palette = z.infer<typeof paletteSchema>

/**
 * spec §2 promises `parent` (and `docPage`, `docBookmd5` with `sort=document`); the other members
 * come from observed-0.49. The `parent` of a root is absent, null or empty.
 */
export const treeNodeSchema = z.looseObject({
  noteid: z.string(),
  parent: z.string().nullable().optional(),
  title: z.string().nullable().optional(),
  depth: createCount().optional(),
  childCount: createCount().optional(),
  subMapId: z.string().nullable().optional(),
  docPage: z.number().nullable().optional(),
  docBookmd5: z.string().nullable().optional(),
})

/** See spec §2 Mind-map tree. An older host sends everything in one page, without `nextCursor`. */
export const treePageSchema = markComplete(
  z.looseObject({
    ...versionMembers,
    topicid: z.string().optional(),
    nodeTotal: createCount().optional(),
    nodes: z.array(treeNodeSchema),
    nextCursor: z.string().nullable().optional(),
    truncation: z.boolean().optional(),
    walkLimitReached: z.boolean().optional(),
    truncated: z.boolean().optional(),
    sort: markKnownValues(z.string(), 'document').optional(),
  }),
  ['bridgeApiVersion'],
)
