import { z } from 'zod'
import { promised } from '../schema-plan.ts'
import { versioned } from './common.ts'

/** An excerpt has no id of its own, so one that lacks any of these members is still shown. */
const excerptSchema = z.looseObject({
  /** Record in the document notebook. */
  noteid: promised(z.string()),
  /** Card on the mind map; a plugin's state is attached to this one. */
  cardNoteId: promised(z.string()),
  topicid: promised(z.string()),
  page: promised(z.number()),
  startpos: promised(z.number()),
  endpos: promised(z.number()),
  text: promised(z.string()),
})
export type Excerpt = z.infer<typeof excerptSchema>

/** spec §2 Excerpt list. */
export const excerptListSchema = z.looseObject({
  ...versioned,
  bookmd5: promised(z.string()),
  title: promised(z.string()),
  total: promised(z.number()),
  topicCount: promised(z.number()),
  /** Segments at duplicate positions; the shape of an element is not shown. */
  duplicates: promised(z.array(z.unknown())),
  items: z.array(excerptSchema),
  truncated: promised(z.boolean()),
})
