import { z } from 'zod'
import { optionalFlag, gated, ids, ungated, whole, words } from './define.ts'

/** First 32 characters of the current text, or the empty text if there is none (observed §5): prescribed, though no schema requires it. */
const expectedPrefix = z.string().optional()
const cards = { noteIds: ids }

export const hashtagsBody = gated({
  ...cards,
  operation: z.enum(['add', 'remove', 'replace']),
  /** Full paths: `#subject/chapter/term`. */
  hashtags: ids,
  /** Only with `remove`. */
  includeDescendants: optionalFlag,
})
/** The host's capabilities give its own ranges. */
export const metadataBody = gated({
  ...cards,
  patch: z.looseObject({ colorIndex: whole.optional(), fillIndex: whole.optional() }),
})
export const moveBody = gated({
  noteIds: ids.optional(),
  targetParentNoteId: words,
  moves: z.array(z.looseObject({ noteIds: ids, targetParentNoteId: z.string() })).optional(),
})
const mode = z.enum(['reference', 'clone'])
export const copyBody = gated({
  noteIds: ids.optional(),
  targetParentNoteId: words,
  mode: mode.optional(),
  copies: z.array(z.looseObject({ noteIds: ids, targetParentNoteId: z.string(), mode })).optional(),
})
export const deleteCardsBody = gated(cards)
export const foldBody = gated({ ...cards, folded: z.boolean() })
/** The whole new title or text; `expectedPrefix` says what it replaces. */
export const textBody = gated({ text: z.string(), expectedPrefix, markdown: optionalFlag })
export const appendCommentBody = gated({ text: z.string() })
export const commentBody = gated({ text: z.string(), expectedPrefix })
export const deleteCommentBody = gated({ expectedPrefix })
export const mergeBranchBody = gated({ recursive: optionalFlag })
export const subMapBody = gated({ undo: optionalFlag })

/**
 * Fractions of the image, origin at the top left. The documents show `width` and `height` in the example, `w` and `h` in the description.
 */
const rect = z.looseObject({
  x: z.number(),
  y: z.number(),
  width: z.number().optional(),
  height: z.number().optional(),
  w: z.number().optional(),
  h: z.number().optional(),
})
export const occlusionsBody = gated({
  coordinateSpace: z.enum(['normalized']),
  operation: z.enum(['add', 'replace']),
  masks: z.array(
    z.looseObject({
      rect,
      group: z.unknown().optional(),
      flags: z.unknown().optional(),
      isText: z.boolean().optional(),
    }),
  ),
  expectedSourceFingerprint: words,
  /** From `details.maskFingerprint` of the dry run; required to confirm. */
  expectedMaskFingerprint: words,
})
export const focusCardBody = ungated({ topicid: words })
