import { z } from 'zod'
import { promised } from '../schema-plan.ts'
import { versioned, writeBody } from './common.ts'

/** A document of a study set (observed-0.49). */
export const documentSchema = z.looseObject({
  bookmd5: z.string(),
  title: z.string().nullable().optional(),
  sourceState: z.string().optional(),
  main: z.boolean().optional(),
  pageCount: z.number().optional(),
  excerptCount: z.number().optional(),
})
export type BookDocument = z.infer<typeof documentSchema>

export const documentListSchema = z.looseObject({
  ...versioned,
  documents: z.array(documentSchema),
  mainDocument: z.unknown().optional(),
})
export type DocumentList = z.infer<typeof documentListSchema>

export const outlineSchema = z.looseObject({
  ...versioned,
  /** The pages of a document can be looked at without it. */
  segments: promised(
    z.array(
      z.looseObject({
        title: z.string().optional(),
        startPage: z.number().optional(),
        level: z.number().optional(),
        page: z.number().optional(),
        depth: z.number().optional(),
      }),
    ),
  ),
  title: z.string().optional(),
  hasToc: z.boolean().optional(),
  /** May be 0. */
  pageCount: z.number().optional(),
})
export type Outline = z.infer<typeof outlineSchema>

export const pageTextsSchema = z.looseObject({
  ...versioned,
  pages: z.array(
    z.looseObject({ page: z.number(), text: z.string().optional(), blocks: z.array(z.unknown()).optional() }),
  ),
})

export const pagePartSchema = z.looseObject({
  contentId: z.string(),
  contentPath: z.string().optional(),
  mimeType: z.string().optional(),
  kind: z.string().optional(),
  topicid: z.string().optional(),
})
export const pageBlankSchema = z.looseObject({
  contentIds: z.array(z.string()).optional(),
  segments: z.array(z.unknown()).optional(),
  mapBacked: z.boolean().optional(),
})

/** `studySet` only changes the priority of the legacy blank mapping here (spec §4). */
export const pagePartsSchema = z.looseObject({
  ...versioned,
  parts: z.array(pagePartSchema),
  blanks: z.array(pageBlankSchema).optional(),
  topicFilteringApplied: z.boolean().optional(),
})
export type PageParts = z.infer<typeof pagePartsSchema>

export const syncStatusSchema = z.looseObject({ ...versioned, state: z.string().optional() })
export const tocBodySchema = z.looseObject({ segments: z.array(z.unknown()).optional(), ...writeBody })
