import { z } from 'zod'
import { withShapeVariants } from './shape-variants.ts'
import { createCount } from './schema-plan.ts'
import { versionMembers } from './common.ts'

const timeSchema = z.union([z.string(), z.number()]).nullable().optional()
const listingNames = { title: ['name'], lastModifiedAt: ['modifiedAt', 'updatedAt', 'lastModified'] }

/** From `GET /library/study-sets` (observed-0.49), which lists no decks. */
const studySetSchema = withShapeVariants(
  z.looseObject({
    topicid: z.string(),
    title: z.string().nullable().optional(),
    noteCount: createCount().optional(),
    documentCount: createCount().optional(),
    lastModifiedAt: timeSchema,
  }),
  { self: 'topicid', names: { ...listingNames, topicid: ['topicId', 'studySetId', 'id'], noteCount: ['cardCount'] } },
)
export type StudySet = z.infer<typeof studySetSchema>

export const studySetListSchema = z.looseObject({ ...versionMembers, studySets: z.array(studySetSchema) })

const deckSchema = withShapeVariants(
  z.looseObject({
    deckId: z.string(),
    title: z.string().nullable().optional(),
    cardCount: createCount().optional(),
    lastModifiedAt: timeSchema,
  }),
  { self: 'deckId', names: { ...listingNames, deckId: ['deckid', 'topicid', 'id'], cardCount: ['noteCount'] } },
)
export type Deck = z.infer<typeof deckSchema>

export const deckListSchema = z.looseObject({ ...versionMembers, decks: z.array(deckSchema) })

const deckCardSchema = withShapeVariants(
  z.looseObject({
    cardNoteId: z.string(),
    sourceNoteId: z.string().nullable().optional(),
    sourceAlive: z.boolean().optional(),
    title: z.string().nullable().optional(),
  }),
  {
    self: 'cardNoteId',
    names: { cardNoteId: ['cardNoteid', 'noteid', 'noteId', 'id'], sourceNoteId: ['sourceNoteid', 'source.noteid'] },
  },
)
export type DeckCard = z.infer<typeof deckCardSchema>

export const deckCardListSchema = z.looseObject({
  ...versionMembers,
  deckId: z.string().optional(),
  cards: z.array(deckCardSchema),
})

const subMapSchema = withShapeVariants(
  z.looseObject({
    noteid: z.string(),
    title: z.string().nullable().optional(),
    cardCount: createCount().optional(),
    parentPath: z.unknown().optional(),
    depth: createCount().optional(),
  }),
  {
    self: 'noteid',
    names: { noteid: ['noteId', 'rootNoteId', 'id'], title: ['name'], cardCount: ['noteCount'], parentPath: ['path'] },
  },
)
export type SubMap = z.infer<typeof subMapSchema>

/** The contract shows an array (observed-0.49). An object with `subMaps` is accepted too. */
export const subMapListSchema = z.looseObject({ ...versionMembers, subMaps: z.array(subMapSchema) })

const hashtagNodeSchema = withShapeVariants(
  z.looseObject({
    path: z.string().optional(),
    name: z.string().optional(),
    directCardCount: createCount().optional(),
    cardCount: createCount().optional(),
    derived: z.boolean().optional(),
    /** With `withNotes=1`: ids of the cards that directly hold the full tag path. */
    noteIds: z.array(z.string()).optional(),
  }),
  { self: 'path', names: { path: ['fullPath', 'hashtag', 'tag'], noteIds: ['notes', 'cards'] } },
)
export const hashtagListSchema = z.looseObject({
  ...versionMembers,
  hashtags: z.array(z.unknown()).optional(),
  nodes: z.array(hashtagNodeSchema).optional(),
  tree: z.array(z.unknown()).optional(),
})

export const snapshotListSchema = z.looseObject({
  ...versionMembers,
  snapshots: z
    .array(
      withShapeVariants(z.looseObject({ snapshotId: z.string().optional() }), {
        self: 'snapshotId',
        names: { snapshotId: ['id', 'versionId'] },
      }),
    )
    .optional(),
})
/** No member is documented. A text or number in place of an object is most likely an id. */
const notebookSchema = withShapeVariants(z.looseObject({ id: z.string().optional() }), { self: 'id' })
export const notebookListSchema = z.looseObject({ ...versionMembers, notebooks: z.array(notebookSchema).optional() })
