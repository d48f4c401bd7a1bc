import { z } from 'zod'
import { getMember } from '../../json/object.ts'
import { withShapeVariants } from './shape-variants.ts'
import { versionMembers, writeBodyMembers } from './common.ts'
import { createCount, declareMembers, declareTable } from './schema-plan.ts'

/** `expectedRevision` is that with which the answer sheet was opened (spec §4). */
export const practiceVerdictBodySchema = declareMembers(
  z.looseObject({
    commentId: z.string().optional(),
    expectedRevision: z.union([z.string(), z.number()]),
    practice: declareMembers(z.looseObject({ topic: z.string() }), { sometimes: ['topic'] }).optional(),
    self: z.string().optional(),
    reason: z.string().optional(),
    addon: z.string().optional(),
    ...writeBodyMembers,
  }),
  {
    always: ['expectedRevision'],
    sometimes: ['commentId', 'practice', 'self', 'reason', 'addon', 'confirm'],
    untyped: ['expectedRevision', 'addon'],
  },
)

const practiceSchema = declareTable(
  z.looseObject({
    addon: z.string(),
    topic: z.string(),
    card: z.string(),
    self: z.string(),
    /** A verdict without an error needs no cause. */
    reason: z.string().optional(),
    reasonLabel: z.string().optional(),
    at: z.number(),
  }),
  { sometimes: ['reason', 'reasonLabel'] },
)

/** See spec §2 Practice verdict. */
export const practiceVerdictResponseSchema = declareTable(
  z.looseObject({
    ...versionMembers,
    persisted: z.boolean(),
    noteid: z.string(),
    commentId: z.string(),
    practice: practiceSchema,
    hashtags: z.array(z.string()),
    tagsChanged: z.boolean(),
    commentsRevision: z.string(),
  }),
)

/** See spec §2 Band. */
const bandSchema = declareTable(
  z.looseObject({
    noteid: z.string(),
    closed: z.boolean(),
    owner: z.string(),
    blankPageNo: z.number(),
    hasInk: z.boolean(),
    seq: z.number(),
    live: z.boolean(),
    inkParts: createCount(),
    height: z.number(),
    physicalNoteId: z.string(),
    role: z.string(),
    pageNo: z.number(),
  }),
)

/** The spec does not show whether role and height are required (§4 blank-bands). */
export const blankBandBodySchema = declareMembers(
  z.looseObject({ role: z.string().optional(), height: z.number().optional(), ...writeBodyMembers }),
  { sometimes: ['role', 'height', 'confirm'] },
)

/** The host returns this response after it has created a blank band (spec §2 Blank band). */
export const blankBandResponseSchema = declareTable(
  z.looseObject({
    ...versionMembers,
    band: bandSchema,
    bands: z.array(bandSchema),
    noteid: z.string(),
    persisted: z.boolean().optional(),
  }),
  { sometimes: ['persisted'] },
)

const rectSchema = z.unknown()

/** Observed-0.49. Spec §2 has `contentId` for a binary item, so a text needs none. */
const notePartSchema = declareMembers(
  z.looseObject({
    contentId: z.string().optional(),
    index: z.number().optional(),
    kind: z.string().optional(),
    noteid: z.string().optional(),
    excerpt: z.boolean().optional(),
    contentPath: z.string().optional(),
    mimeType: z.string().optional(),
    ocrText: z.string().optional(),
    occlusion: z
      .looseObject({
        coordinateSpace: z.unknown().optional(),
        masks: z
          .array(z.looseObject({ index: z.number().optional(), rect: rectSchema.optional(), group: z.unknown().optional() }))
          .optional(),
      })
      .nullable()
      .optional(),
    occlusionBaseContentPath: z.string().optional(),
  }),
  { sometimes: ['contentId'] },
)

const noteTextSchema = z.looseObject({
  /** Index 0 is the card itself. Indexes may have gaps. */
  index: z.number().optional(),
  text: z.string().nullable().optional(),
  excerpt: z.boolean().optional(),
  noteid: z.string().optional(),
  kind: z.string().optional(),
})

/** The shape of a card according to the contract; the page reports differences from it. */
export const noteItemSchema = declareMembers(
  z.looseObject({
    noteid: z.string(),
    title: z.string().nullable().optional(),
    texts: z.array(noteTextSchema).optional(),
    parts: z.array(notePartSchema).optional(),
    metadata: z
      .looseObject({ colorIndex: z.number().nullable().optional(), fillIndex: z.number().nullable().optional() })
      .nullable()
      .optional(),
    hashtags: z.array(z.unknown()).optional(),
    hashtagPaths: z.array(z.unknown()).optional(),
  }),
  { always: ['noteid', 'parts'] },
)

/** The least to show a card; `shared/cards` reads its parts one by one, with sent positions. */
const cardSchema = withShapeVariants(
  declareMembers(z.looseObject({ noteid: z.string(), title: z.string().nullable().optional() }), { always: ['noteid'] }),
  { names: { noteid: ['noteId', 'id'] } },
)
export type NoteItem = z.infer<typeof cardSchema>

/** Returns the first parameter of a content path whose value is a layer; null without one. */
export function findLayersParameter(item: unknown): string | null {
  const parts = getMember(item, 'parts')
  const paths = (Array.isArray(parts) ? (parts as unknown[]) : []).flatMap((part) => [
    getMember(part, 'occlusionBaseContentPath'),
    getMember(part, 'contentPath'),
  ])
  for (const path of paths) {
    const [, name] = typeof path === 'string' ? (layersSelector.exec(path) ?? []) : []
    if (name !== undefined) return name
  }
  return null
}

const layersSelector = /[?&]([A-Za-z][\w.-]{0,39})=(?:base|composite)(?:[&#]|$)/i

/** The host's own name for the query parameter `layers`. */
export const layersParameterSchema = z.string().regex(/^[A-Za-z][\w.-]{0,39}$/)

/** The host's capabilities give the maximum number of ids (`noteMetadata.maxNoteIds`). */
export const batchGetBodySchema = declareMembers(
  z.looseObject({ noteIds: z.array(z.string()).describe('Ids of cards (noteid)') }),
  { always: ['noteIds'] },
)
export const batchGetResponseSchema = declareMembers(z.looseObject({ ...versionMembers, items: z.array(cardSchema) }), {
  always: ['items'],
  sometimes: ['bridgeApiVersion'],
})
const noteItemListSchema = z.array(noteItemSchema)
/** Reading needs only some of the members that the contract shows. */
export const shownBatchGetResponseSchema = declareMembers(z.looseObject({ ...versionMembers, items: noteItemListSchema }), {
  always: ['items'],
  sometimes: ['bridgeApiVersion'],
})
export type BatchGetResponse = z.infer<typeof batchGetResponseSchema>
