import { z } from 'zod'
import { lenient } from './lenient.ts'
import { promised } from './schema-plan.ts'
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

/** A document of a study set (observed-0.49). */
const documentSchema = lenient(
  z.looseObject({
    bookmd5: z.string(),
    title: z.string().nullable().optional(),
    sourceState: z.string().optional(),
    main: z.boolean().optional(),
    pageCount: z.number().optional(),
    excerptCount: z.number().optional(),
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
  ...versioned,
  documents: z.array(documentSchema),
  /** Its id, or it itself; not documented. */
  mainDocument: z.unknown().optional(),
})

/** Only `startPage` is documented; a host may nest its segments. */
export const segmentSchema = lenient(
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

export const outlineSchema = lenient(
  z.looseObject({
    ...versioned,
    /** The pages of a document can be looked at without it. */
    segments: promised(z.array(segmentSchema)),
    title: z.string().optional(),
    hasToc: z.boolean().optional(),
    /** May be 0. */
    pageCount: z.number().optional(),
  }),
  { names: { segments: ['entries', 'items'], pageCount: ['pageTotal', 'totalPages'] } },
)
export type Outline = z.infer<typeof outlineSchema>

/** If no page gives its number, pages are numbered by their position, starting at the first page that was requested. */
const pageTextSchema = lenient(
  z.looseObject({
    page: z.number().optional(),
    text: z.string().optional(),
    blocks: z.array(z.unknown()).optional(),
  }),
  { self: 'text', names: { page: ['index', 'pageNo', 'pageNumber'], text: ['content'] } },
)
export const pageTextsSchema = z.looseObject({ ...versioned, pages: z.array(pageTextSchema) })

/** Only `contentPath` and `topicid` are documented: the id may be in the path alone. */
export const pagePartSchema = lenient(
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

/** `studySet` only changes the priority of the legacy blank mapping here (spec §4). */
export const pagePartsSchema = z.looseObject({
  ...versioned,
  parts: z.array(pagePartSchema),
  blanks: z.array(pageBlankSchema).optional(),
  topicFilteringApplied: z.boolean().optional(),
})

export const syncStatusSchema = z.looseObject({ ...versioned, state: z.string().optional() })
