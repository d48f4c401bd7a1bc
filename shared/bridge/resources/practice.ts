import { z } from 'zod'
import { versioned, writeBody } from './common.ts'

/** spec §4 practice-verdict: `expectedRevision` is the revision with which the answer sheet was opened. */
export const practiceVerdictBodySchema = z.looseObject({
  commentId: z.string().optional(),
  expectedRevision: z.union([z.string(), z.number()]),
  practice: z.looseObject({ topic: z.string() }).optional(),
  self: z.string().optional(),
  reason: z.string().optional(),
  addon: z.string().optional(),
  ...writeBody,
})

const practiceSchema = z.looseObject({
  addon: z.string(),
  topic: z.string(),
  card: z.string(),
  self: z.string(),
  reason: z.string(),
  reasonLabel: z.string(),
  at: z.number(),
})

/** spec §2 Practice verdict. */
export const practiceVerdictSchema = z.looseObject({
  ...versioned,
  persisted: z.boolean(),
  noteid: z.string(),
  commentId: z.string(),
  practice: practiceSchema,
  hashtags: z.array(z.string()),
  tagsChanged: z.boolean(),
  commentsRevision: z.string(),
})
