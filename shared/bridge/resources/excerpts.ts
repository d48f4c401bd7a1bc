import { z } from 'zod'
import { versioned } from './common.ts'

export const excerptSchema = z.looseObject({
  /** Record in the document notebook. */
  noteid: z.string(),
  /** Card on the mind map; a plugin's state is kept on this one. */
  cardNoteId: z.string(),
  topicid: z.string(),
  page: z.number(),
  startpos: z.number(),
  endpos: z.number(),
  text: z.string(),
})
export type Excerpt = z.infer<typeof excerptSchema>

/** spec §2 Excerpt list. */
export const excerptListSchema = z.looseObject({
  ...versioned,
  bookmd5: z.string(),
  title: z.string(),
  total: z.number(),
  topicCount: z.number(),
  /** Segments at duplicate positions; the shape of an element is not shown. */
  duplicates: z.array(z.unknown()),
  items: z.array(excerptSchema),
  truncated: z.boolean(),
})
export type ExcerptList = z.infer<typeof excerptListSchema>
