import { z } from 'zod'
import { optionalFlag, gated, ungated, whole, words } from './define.ts'

/** Exactly one of the three. `level` is 0..7; `anchor` is sent back as it came. */
export const tocBody = gated({
  entries: z
    .array(z.looseObject({ title: z.string(), page: whole, level: whole, anchor: z.unknown().optional() }))
    .optional(),
  useOriginal: optionalFlag,
  useAI: optionalFlag,
})
export const locateBody = ungated({ text: z.string(), page: whole, navigate: optionalFlag })
export const exportBody = ungated({
  topicid: z.string(),
  selectedPageNos: z.array(whole).optional(),
  includeRelatedBlankPages: optionalFlag,
})
export const prepareBody = ungated({
  topicid: z.string(),
  bookmd5: z.string(),
  segments: z.array(z.looseObject({ startPage: whole, endPage: whole, title: z.string() })),
  preset: words,
  anchorMode: z.enum(['page_text', 'block']).optional(),
  title: words,
  cardStyle: z.looseObject({ defaultFillIndex: whole.optional() }).optional(),
  async: optionalFlag,
})
export const submitBody = ungated({
  targetParentNoteId: words,
  withBlank: optionalFlag,
  excerptMode: z.enum(['child', 'link']).optional(),
  resultMarkdown: words,
  /** Only after `USER_EDITS_PRESENT`, and with the user's consent. */
  force: optionalFlag,
})
export const recheckBody = ungated({ database: optionalFlag, documents: optionalFlag })
