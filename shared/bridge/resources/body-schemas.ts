import { z } from 'zod'
import { writeBodyMembers } from './common.ts'

const createGatedBody = <T extends z.ZodRawShape>(members: T) => z.looseObject({ ...members, ...writeBodyMembers })

const createUngatedBody = <T extends z.ZodRawShape>(members: T) => z.looseObject(members)

const idListSchema = z.array(z.string())
const optionalFlag = z.boolean().optional()
const optionalText = z.string().optional()
const integer = z.number().int()

export const emptyBodySchema = createUngatedBody({})
export const confirmBodySchema = createGatedBody({})
export const titleBodySchema = createGatedBody({ title: z.string() })
export const addDocumentBodySchema = createGatedBody({ bookmd5: z.string() })
export const deleteStudySetBodySchema = createGatedBody({
  /** The title must be exactly the stored title. */
  expectedTitle: z.string(),
  keepHighlights: optionalFlag,
  keepSnapshotHistory: optionalFlag,
})
/** The host itself puts `Agent:` in front of the description. */
export const createSnapshotBodySchema = createUngatedBody({ description: optionalText })
export const restoreSnapshotBodySchema = createGatedBody({ force: optionalFlag })
export const openStudySetBodySchema = createUngatedBody({ bookmd5: optionalText })
export const printPreviewBodySchema = createUngatedBody({
  mode: z.enum(['keepStructure', 'classic', 'cardFlow']).describe('Layout; keepStructure is level by level'),
  densityValue: z.number().min(0).max(1).optional().describe('Density; classic from 0.995 or 1'),
  rootNoteId: optionalText.describe('Card whose branch is planned; without it, the whole map'),
})
/** `plan` is the whole, unchanged response to the preview. */
export const printExportBodySchema = createUngatedBody({ plan: z.looseObject({}), fileName: optionalText })
export const deckCardsBodySchema = createGatedBody({
  cards: z.array(
    z.looseObject({
      sourceNoteId: z.string(),
      question: optionalText,
      questionContentId: optionalText,
      title: optionalText,
    }),
  ),
})
/** Members of `state` that are absent stay as they are. */
export const uiStateBodySchema = createUngatedBody({ state: z.looseObject({}) })
/** The body is a JSON-RPC request. */
export const mcpBodySchema = createUngatedBody({
  jsonrpc: z.string(),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
})

/** One of `entries`, `useOriginal`, `useAI`. `level` is 0..7; `anchor` is sent back unchanged. */
export const tocBodySchema = createGatedBody({
  entries: z
    .array(z.looseObject({ title: z.string(), page: integer, level: integer, anchor: z.unknown().optional() }))
    .optional(),
  useOriginal: optionalFlag,
  useAI: optionalFlag,
})
export const locateTextBodySchema = createUngatedBody({
  text: z.string().describe('Literally from the document'),
  page: integer.describe('Order in the PDF, first page 1; other pages are not searched'),
  navigate: optionalFlag.describe('Also scrolls there, if this document is open; highlights nothing'),
})
export const exportDocumentBodySchema = createUngatedBody({
  topicid: z.string(),
  selectedPageNos: z.array(integer).optional(),
  includeRelatedBlankPages: optionalFlag,
})
export const prepareBundleBodySchema = createUngatedBody({
  topicid: z.string(),
  bookmd5: z.string(),
  segments: z.array(z.looseObject({ startPage: integer, endPage: integer, title: z.string() })),
  preset: optionalText,
  anchorMode: z.enum(['page_text', 'block']).optional(),
  title: optionalText,
  cardStyle: z.looseObject({ defaultFillIndex: integer.optional() }).optional(),
  async: optionalFlag,
})
export const submitBundleBodySchema = createUngatedBody({
  targetParentNoteId: optionalText,
  withBlank: optionalFlag,
  excerptMode: z.enum(['child', 'link']).optional(),
  resultMarkdown: optionalText,
  /** Allowed only after `USER_EDITS_PRESENT`, and with the user's consent. */
  force: optionalFlag,
})
export const recheckBodySchema = createUngatedBody({ database: optionalFlag, documents: optionalFlag })

/** First 32 characters of the text (observed-0.49 §5), prescribed though no schema requires it. */
const expectedPrefixSchema = z.string().optional()
const noteIdsMember = { noteIds: idListSchema }

export const hashtagsBodySchema = createGatedBody({
  ...noteIdsMember,
  operation: z.enum(['add', 'remove', 'replace']),
  /** The host expects full paths: `#subject/chapter/term`. */
  hashtags: idListSchema,
  /** Has an effect only with `remove`. */
  includeDescendants: optionalFlag,
})
/** The host's capabilities give the ranges that apply. */
export const metadataBodySchema = createGatedBody({
  ...noteIdsMember,
  patch: z.looseObject({ colorIndex: integer.optional(), fillIndex: integer.optional() }),
})
export const moveCardsBodySchema = createGatedBody({
  noteIds: idListSchema.optional(),
  targetParentNoteId: optionalText,
  moves: z.array(z.looseObject({ noteIds: idListSchema, targetParentNoteId: z.string() })).optional(),
})
const copyModeSchema = z.enum(['reference', 'clone'])
export const copyCardsBodySchema = createGatedBody({
  noteIds: idListSchema.optional(),
  targetParentNoteId: optionalText,
  mode: copyModeSchema.optional(),
  copies: z.array(z.looseObject({ noteIds: idListSchema, targetParentNoteId: z.string(), mode: copyModeSchema })).optional(),
})
export const deleteCardsBodySchema = createGatedBody(noteIdsMember)
export const foldCardsBodySchema = createGatedBody({ ...noteIdsMember, folded: z.boolean() })
/** `text` is the whole new title or text; `expectedPrefix` says what it replaces. */
export const cardTextBodySchema = createGatedBody({ text: z.string(), expectedPrefix: expectedPrefixSchema, markdown: optionalFlag })
export const appendCommentBodySchema = createGatedBody({ text: z.string() })
export const editCommentBodySchema = createGatedBody({ text: z.string(), expectedPrefix: expectedPrefixSchema })
export const deleteCommentBodySchema = createGatedBody({ expectedPrefix: expectedPrefixSchema })
export const mergeBranchBodySchema = createGatedBody({ recursive: optionalFlag })
export const subMapBodySchema = createGatedBody({ undo: optionalFlag })

/** Fractions from the top left. The example shows `width`, `height`, the description `w`, `h`. */
const rectSchema = z.looseObject({
  x: z.number(),
  y: z.number(),
  width: z.number().optional(),
  height: z.number().optional(),
  w: z.number().optional(),
  h: z.number().optional(),
})
export const occlusionsBodySchema = createGatedBody({
  coordinateSpace: z.enum(['normalized']),
  operation: z.enum(['add', 'replace']),
  masks: z.array(
    z.looseObject({
      rect: rectSchema,
      group: z.unknown().optional(),
      flags: z.unknown().optional(),
      isText: z.boolean().optional(),
    }),
  ),
  expectedSourceFingerprint: optionalText,
  /** The dry run returns this value in `details.maskFingerprint`; it is required to confirm. */
  expectedMaskFingerprint: optionalText,
})
export const focusCardBodySchema = createUngatedBody({ topicid: optionalText })
