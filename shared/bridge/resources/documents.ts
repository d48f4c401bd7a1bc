import { z } from 'zod'
import { withShapeVariants } from './shape-variants.ts'
import { createCount, markObservedValues, declareMembers, declareTable } from './schema-plan.ts'
import { versionMembers } from './common.ts'

/**
 * Excerpts have no id of their own, so an excerpt that lacks any of these members is still shown.
 */
const excerptSchema = declareTable(
  z.looseObject({
    noteid: z.string().optional(),
    /** The id of the card on the mind map, to which a plugin's state is attached. */
    cardNoteId: z.string().optional(),
    topicid: z.string().optional(),
    page: z.number().optional(),
    startpos: z.number().optional(),
    endpos: z.number().optional(),
    text: z.string().optional(),
  }),
)
export type Excerpt = z.infer<typeof excerptSchema>

/** See spec §2 Excerpt list. */
export const excerptListSchema = declareTable(
  z.looseObject({
    ...versionMembers,
    bookmd5: z.string().optional(),
    title: z.string().optional(),
    total: createCount().optional(),
    topicCount: createCount().optional(),
    /** Segments at duplicate positions; the contract does not show the shape of an element. */
    duplicates: z.array(z.unknown()).optional(),
    items: z.array(excerptSchema),
    truncated: z.boolean().optional(),
  }),
  { sometimes: ['bridgeApiVersion'] },
)

/** A document of a study set (observed-0.49). */
const documentSchema = withShapeVariants(
  z.looseObject({
    bookmd5: z.string(),
    title: z.string().nullable().optional(),
    sourceState: markObservedValues(z.string(), 'normal', 'missing_file').optional(),
    main: z.boolean().optional(),
    pageCount: createCount().optional(),
    excerptCount: createCount().optional(),
  }),
  {
    self: 'bookmd5',
    names: {
      bookmd5: ['bookMd5', 'bookMD5', 'md5', 'documentId', 'id'],
      title: ['name', 'filename'],
      main: ['isMain', 'isMainDocument', 'mainDocument'],
      pageCount: ['pageTotal', 'totalPages'],
    },
  },
)
export type BookDocument = z.infer<typeof documentSchema>

export const documentListSchema = z.looseObject({
  ...versionMembers,
  documents: z.array(documentSchema),
  /** The id of a document or the document itself; the contract does not say which. */
  mainDocument: z.unknown().optional(),
})

/** Only `startPage` is documented. A host may nest its segments. */
export const segmentSchema = withShapeVariants(
  z.looseObject({
    title: z.string().optional(),
    startPage: z.number().optional(),
    level: z.number().optional(),
    children: z.array(z.unknown()).optional(),
  }),
  {
    names: {
      title: ['name', 'text'],
      startPage: ['page', 'pageNo', 'startpage', 'start'],
      level: ['depth'],
      children: ['segments', 'items'],
    },
  },
)

export const outlineSchema = withShapeVariants(
  declareMembers(
    z.looseObject({
      ...versionMembers,
      /** The pages of a document can be viewed even if this member is missing. */
      segments: z.array(segmentSchema).optional(),
      title: z.string().optional(),
      hasToc: z.boolean().optional(),
      /** 0 if the host could not open the file off-screen (observed-0.49 §4). */
      pageCount: createCount().optional(),
    }),
    { usually: ['segments'] },
  ),
  { names: { segments: ['entries', 'items'], pageCount: ['pageTotal', 'totalPages'] } },
)
export type Outline = z.infer<typeof outlineSchema>

/** If no page gives its number, they are counted from the first page that was requested. */
const pageTextSchema = withShapeVariants(
  z.looseObject({
    page: z.number().optional(),
    text: z.string().optional(),
    blocks: z.array(z.unknown()).optional(),
  }),
  { self: 'text', names: { page: ['index', 'pageNo', 'pageNumber'], text: ['content'] } },
)
export const pageTextsSchema = z.looseObject({
  ...versionMembers,
  pages: z.array(pageTextSchema),
})

/** Only `contentPath` and `topicid` were observed; the id may occur only in the path. */
export const pagePartSchema = withShapeVariants(
  z.looseObject({
    contentId: z.string().optional(),
    contentPath: z.string().optional(),
    mimeType: z.string().optional(),
    kind: z.string().optional(),
    topicid: z.string().optional(),
  }),
  { self: 'contentId', names: { contentId: ['id'], kind: ['type'], mimeType: ['contentType'] } },
)
const pageBlankSchema = z.looseObject({
  contentIds: z.array(z.string()).optional(),
  segments: z.array(z.unknown()).optional(),
  mapBacked: z.boolean().optional(),
})

/** The query's `studySet` only decides whose legacy blank mapping comes first (spec §4). */
export const pagePartsSchema = z.looseObject({
  ...versionMembers,
  parts: z.array(pagePartSchema).optional(),
  contentIds: z.array(z.string()).optional(),
  blanks: z.array(pageBlankSchema).optional(),
  topicFilteringApplied: z.boolean().optional(),
})

export const syncStatusSchema = z.looseObject({ ...versionMembers, state: z.string().optional() })
