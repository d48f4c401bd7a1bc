import { z } from 'zod'
import { documentedLimits } from '../documented-limits.ts'
import { versionMembers } from './common.ts'
import {
  createCount,
  createFormattedText,
  createRangedNumber,
  markExamples,
  declareMembers,
  declareTable,
} from './schema-plan.ts'

/** Hosts were observed to send this range (spec §2). */
const colorChannelSchema = createRangedNumber(0, 255)

const colorValueSchema = declareTable(
  z.looseObject({
    hex: createFormattedText('#RRGGBB', /^#[0-9A-Fa-f]{6}$/),
    rgba: declareTable(
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

const paletteColorSchema = declareTable(
  z.looseObject({
    /** The level, starting at 0; it is not a fixed color. */
    colorIndex: createCount(),
    baseColor: colorValueSchema,
    displayColor: colorValueSchema,
  }),
)
export type PaletteColor = z.infer<typeof paletteColorSchema>

/** See spec §2 Palette. */
export const paletteSchema = declareTable(
  z.looseObject({
    ...versionMembers,
    studySetId: z.string().optional(),
    title: z.string().optional(),
    count: createCount().optional(),
    source: z.string().optional(),
    appearance: z.string().optional(),
    colors: z.array(paletteColorSchema),
  }),
)
export type Palette = z.infer<typeof paletteSchema>

/**
 * spec §2 promises `parent` (and `docPage`, `docBookmd5` with `sort=document`); the other members
 * come from observed-0.49. The `parent` of a root is absent, null or empty.
 */
export const treeNodeSchema = declareMembers(
  z.looseObject({
    noteid: z.string(),
    parent: z.string().nullable().optional(),
    title: z.string().nullable().optional(),
    depth: createCount().optional(),
    childCount: createCount().optional(),
    subMapId: z.string().nullable().optional(),
    docPage: z.number().nullable().optional(),
    docBookmd5: z.string().nullable().optional(),
  }),
  {
    sometimes: ['parent', 'docPage', 'docBookmd5'],
    untyped: ['parent', 'docPage', 'docBookmd5'],
  },
)

/** See spec §2 Mind-map tree. An older host sends everything in one page, without `nextCursor`. */
export const treePageSchema = declareTable(
  z.looseObject({
    ...versionMembers,
    topicid: z.string().optional(),
    nodeTotal: createCount().optional(),
    nodes: z.array(treeNodeSchema).meta({ maxItems: documentedLimits.treeLimit.max }),
    nextCursor: z.string().nullable().optional(),
    truncation: z.boolean().optional(),
    walkLimitReached: z.boolean().optional(),
    truncated: z.boolean().optional(),
    sort: markExamples(z.string(), 'document').optional(),
  }),
  {
    sometimes: [
      'topicid',
      'nodeTotal',
      'nextCursor',
      'truncation',
      'walkLimitReached',
      'truncated',
      'sort',
    ],
  },
)
