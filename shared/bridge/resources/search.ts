import { z } from 'zod'
import { lenient } from '../lenient.ts'
import { versioned } from './common.ts'

/** `GET /search` (observed-0.49): the shape of a hit is not shown. */
export const searchSchema = z.looseObject({
  ...versioned,
  hits: z.array(z.looseObject({ kind: z.string().optional(), title: z.string().nullable().optional() })).optional(),
  scanned: z.number().optional(),
  truncated: z.boolean().optional(),
})
export type SearchResult = z.infer<typeof searchSchema>
export const bundleListSchema = z.looseObject({
  ...versioned,
  bundles: z.array(
    lenient(
      z.looseObject({
        bundleId: z.string().optional(),
        state: z.string().optional(),
        progress: lenient(z.looseObject({ pagesDone: z.number().optional(), pagesTotal: z.number().optional() }), {
          names: { pagesDone: ['done'], pagesTotal: ['total'] },
        })
          .nullable()
          .optional(),
      }),
      { self: 'bundleId', names: { bundleId: ['id'], state: ['status'] } },
    ),
  ),
})

export const legacySyncStatusSchema = z.looseObject({ ...versioned })
export const legacySyncEventsSchema = z.looseObject({
  ...versioned,
  events: z
    .array(lenient(z.looseObject({ sequence: z.number().optional() }), { names: { sequence: ['seq'] } }))
    .optional(),
  lastSequence: z.number().optional(),
  hasMore: z.boolean().optional(),
  historyTruncated: z.boolean().optional(),
})
