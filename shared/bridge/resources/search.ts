import { z } from 'zod'
import { withShapeVariants } from './shape-variants.ts'
import { versionMembers } from './common.ts'
import { createCount, markObservedValues } from './schema-plan.ts'

export const hitKinds = ['note', 'studySet', 'document', 'deck', 'other'] as const
export type HitKind = (typeof hitKinds)[number]

const hitKindsByWord: Readonly<Record<string, HitKind>> = {
  note: 'note',
  card: 'note',
  studyset: 'studySet',
  topic: 'studySet',
  document: 'document',
  book: 'document',
  deck: 'deck',
}

/** Accepts any letter case, singular or plural (`Study-Sets`); undefined for an unknown kind. */
export function parseHitKind(word: string): HitKind | undefined {
  const bare = word
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/s$/, '')
  return Object.hasOwn(hitKindsByWord, bare) ? hitKindsByWord[bare] : undefined
}

/** The contract does not show the shape of a hit of `GET /search` (observed-0.49). */
const hitSchema = withShapeVariants(
  z.looseObject({
    id: z.string().optional(),
    kind: z.string().optional(),
    title: z.string().nullable().optional(),
  }),
  { self: 'id' },
)

export const searchSchema = z.looseObject({
  ...versionMembers,
  hits: z.array(hitSchema).optional(),
  scanned: createCount().optional(),
  truncated: z.boolean().optional(),
})
export type SearchResult = z.infer<typeof searchSchema>
export const bundleListSchema = z.looseObject({
  ...versionMembers,
  bundles: z.array(
    withShapeVariants(
      z.looseObject({
        bundleId: z.string().optional(),
        state: markObservedValues(
          z.string(),
          'preparing',
          'prepared',
          'imported',
          'failed',
          'cancelled',
        ).optional(),
        progress: withShapeVariants(
          z.looseObject({ pagesDone: createCount().optional(), pagesTotal: createCount().optional() }),
          {
            names: { pagesDone: ['done'], pagesTotal: ['total'] },
          },
        )
          .nullable()
          .optional(),
      }),
      { self: 'bundleId', names: { bundleId: ['id'], state: ['status'] } },
    ),
  ),
})

export const legacySyncStatusSchema = z.looseObject({ ...versionMembers })
export const legacySyncEventsSchema = z.looseObject({
  ...versionMembers,
  events: z
    .array(withShapeVariants(z.looseObject({ sequence: z.number().optional() }), { names: { sequence: ['seq'] } }))
    .optional(),
  lastSequence: z.number().optional(),
  hasMore: z.boolean().optional(),
  historyTruncated: z.boolean().optional(),
})
