import { z } from 'zod'
import { changeKinds } from '../snapshots/card-content.ts'
import { causeCertainties, recordedWriteSchema } from '../snapshots/cause.ts'
import { forecastDifferenceSchema } from '../snapshots/forecast-check.ts'
import { forecastCardSchema } from '../snapshots/forecast-card.ts'
import { levelChangeSchema } from '../snapshots/palette.ts'
import { snapshotInfoSchema } from '../snapshots/snapshot.ts'
import { defineBinaryQueryMethod, defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

export const MAX_CHANGE_ROWS_PER_CALL = 500
export const MAX_CHANGE_MARKS_PER_CALL = 1_000

const topicid = z.string().min(1).max(500)
const count = z.number().int().nonnegative()
/** A snapshot by id, or the newest one of the study set. */
const snapshotChoice = z.union([z.number().int().positive(), z.literal('now')])
export type SnapshotChoice = z.infer<typeof snapshotChoice>

const cardStateSchema = z.strictObject({
  title: z.string(),
  /** Empty for a root. */
  parentId: z.string(),
  /** Empty if the parent is not listed. */
  parentTitle: z.string(),
  /** Place among the children of the parent, from 1. */
  position: z.number().int().positive(),
  /** The members of the card as listed, without those that follow from the tree. */
  members: z.record(z.string(), z.unknown()),
})
export type SnapshotCardState = z.infer<typeof cardStateSchema>

const causeSchema = z.strictObject({
  certainty: z.enum(causeCertainties),
  /** The calls that explain the change or a part of it; empty with `nobody`. */
  writes: z.array(recordedWriteSchema),
})

const depth = z.number().int().nonnegative()
const changedCardMembers = {
  depth,
  /** Index of the change, the same in every part and layout of one comparison. */
  change: count,
  noteid: z.string(),
  kinds: z.array(z.enum(changeKinds)).min(1),
  members: z.array(z.string()),
  before: cardStateSchema.nullable(),
  after: cardStateSchema.nullable(),
  cause: causeSchema,
  /** The kinds of the change that the calls of `cause` do not explain; absent if there are none. */
  unexplained: z.array(z.enum(changeKinds)).min(1).optional(),
}

const changeRowSchema = z.discriminatedUnion('row', [
  z.strictObject({ row: z.literal('change'), ...changedCardMembers }),
  /** The former place of a card that got another parent. */
  z.strictObject({ row: z.literal('ghost'), ...changedCardMembers }),
  /** A card above changes that did not change itself. */
  z.strictObject({ row: z.literal('context'), depth, noteid: z.string(), title: z.string() }),
  /** Cards in a row without changes, those below them included. */
  z.strictObject({ row: z.literal('gap'), depth, count: z.number().int().positive() }),
])
export type SnapshotChangeRow = z.infer<typeof changeRowSchema>

const comparisonSchema = z.strictObject({
  before: snapshotInfoSchema,
  after: snapshotInfoSchema,
  /** Number of changed cards, and of those with each kind of change. */
  changes: count,
  counts: z.partialRecord(z.enum(changeKinds), count),
  /** Number of changed cards by how well a recorded call explains the change. */
  causes: z.partialRecord(z.enum(causeCertainties), count),
  /** Cards of one snapshot while the other is not whole, so that they may be no changes. */
  uncoveredBefore: count,
  uncoveredAfter: count,
  /** False if one of the listings has another order, so that no order was compared. */
  isOrderCompared: z.boolean(),
  /** The color levels that differ; null unless both snapshots have the palette. */
  palette: z.array(levelChangeSchema).nullable(),
  /** Rows in the layout; `rows` holds those from `offset`, fewer if cards are very long. */
  rowCount: count,
  offset: count,
  rows: z.array(changeRowSchema),
})
export type SnapshotComparison = z.infer<typeof comparisonSchema>

/** A change of a card that is still there, in a form for many cards. */
const changeMarkSchema = z.strictObject({
  noteid: z.string(),
  /** Empty if the card itself did not change. */
  kinds: z.array(z.enum(changeKinds)),
  /** Number of cards below it that are not there any more, with what was below them. */
  removed: count,
  /** Null if the card itself did not change. */
  cause: z
    .strictObject({
      certainty: z.enum(causeCertainties),
      /** As in a change, without the ids that the calls name. */
      writes: z.array(recordedWriteSchema.pick({ method: true, path: true, origin: true })),
    })
    .nullable(),
  unexplained: changedCardMembers.unexplained,
})
export type ChangeMark = z.infer<typeof changeMarkSchema>

const changeMarksSchema = z.strictObject({
  before: snapshotInfoSchema,
  after: snapshotInfoSchema,
  /** Number of changed cards, the removed ones included. */
  changes: count,
  /** Number of removed cards that were below no card that is still there. */
  removedAtTop: count,
  /** Number of all marks in the order of the listing; `marks` holds those from `offset`. */
  markCount: count,
  offset: count,
  marks: z.array(changeMarkSchema),
})
export type ChangeMarks = z.infer<typeof changeMarksSchema>

/** Characters of a title that can be in a box of the map. */
export const MAX_GHOST_TITLE_CHARS = 160

/** The former place of a card that is gone, or somewhere else now. */
const cardGhostSchema = z.strictObject({
  noteid: z.string(),
  /** As it was before. */
  title: z.string().max(MAX_GHOST_TITLE_CHARS),
  isRemoved: z.boolean(),
  /** The card below which it was; empty at the top. */
  parentId: z.string(),
  /** The sibling that it followed, of those that are still there; empty if it was the first. */
  followsId: z.string(),
  /** Number of cards that were below a removed card, and were removed or moved away as well. */
  below: count,
})
export type CardGhost = z.infer<typeof cardGhostSchema>

const cardGhostsSchema = z.strictObject({
  /** Number of all ghosts; `ghosts` holds those from `offset`. */
  ghostCount: count,
  /** Number of moved cards that were below a card that the newer snapshot does not cover. */
  uncovered: count,
  offset: count,
  /** Those below one parent are in a row, in their old order. */
  ghosts: z.array(cardGhostSchema),
})
export type CardGhosts = z.infer<typeof cardGhostsSchema>

/** A longer body is forecast by nobody. */
export const MAX_FORECAST_BODY_CHARS = 100_000
/** Cards and differences beyond this number are only counted. */
export const MAX_FORECAST_ROWS = 50

const forecastSchema = z.discriminatedUnion('outcome', [
  /** The write is not about cards. */
  z.strictObject({ outcome: z.literal('none') }),
  /** The endpoint table does not say what the write changes. */
  z.strictObject({ outcome: z.literal('silent') }),
  /** No snapshot of this host has one of the cards. */
  z.strictObject({ outcome: z.literal('noSnapshot') }),
  z.strictObject({
    outcome: z.literal('forecast'),
    /** The snapshot on which the write was tried. */
    basis: snapshotInfoSchema,
    /** The first of all `cardCount` cards that change. */
    cards: z.array(forecastCardSchema),
    cardCount: count,
    unchanged: count,
    missing: count,
    /** Null before the write, and as long as there is no snapshot after it. */
    check: z
      .strictObject({
        snapshot: snapshotInfoSchema,
        /** The first of all `differenceCount` differences. */
        differences: z.array(forecastDifferenceSchema),
        differenceCount: count,
        confirmed: count,
        unchecked: count,
      })
      .nullable(),
  }),
])
export type SnapshotForecast = z.infer<typeof forecastSchema>

export const snapshotMethods = {
  /**
   * Newest first; of all study sets if none is named. They are lost at exit unless `isOnDisk`.
   * `wasDropped`: a later listing of the study set was too large to become a snapshot.
   */
  'snapshots.list': defineQueryMethod(
    z.strictObject({ topicid: topicid.optional() }),
    z.strictObject({
      snapshots: z.array(snapshotInfoSchema),
      isOnDisk: z.boolean(),
      wasDropped: z.boolean().optional(),
    }),
  ),
  /**
   * Compares two snapshots of a study set. The `tree` layout shows the cards above each change and
   * counts the others; the `list` layout has only the changes, in the same order.
   * @throws SNAPSHOT_UNKNOWN
   */
  'snapshots.compare': defineQueryMethod(
    z.strictObject({
      topicid,
      before: snapshotChoice,
      after: snapshotChoice,
      layout: z.enum(['tree', 'list']),
      offset: count,
      limit: z.number().int().min(1).max(MAX_CHANGE_ROWS_PER_CALL),
    }),
    comparisonSchema,
  ),
  /** The newer's changed cards, and those above removed ones. @throws SNAPSHOT_UNKNOWN */
  'snapshots.marks': defineQueryMethod(
    z.strictObject({
      topicid,
      before: snapshotChoice,
      after: snapshotChoice,
      offset: count,
      limit: z.number().int().min(1).max(MAX_CHANGE_MARKS_PER_CALL),
    }),
    changeMarksSchema,
  ),
  /** Places that moved and removed cards have left in the older one. @throws SNAPSHOT_UNKNOWN */
  'snapshots.ghosts': defineQueryMethod(
    z.strictObject({
      topicid,
      before: snapshotChoice,
      after: snapshotChoice,
      offset: count,
      limit: z.number().int().min(1).max(MAX_CHANGE_MARKS_PER_CALL),
    }),
    cardGhostsSchema,
  ),
  /**
   * The expected changes of a write, tried on the newest snapshot that has its cards; of a write
   * that ended, on the newest one before it, compared with the next one after it.
   */
  'snapshots.forecast': defineQueryMethod(
    z.strictObject({
      /** Base URL. */
      host: z.string().max(2000),
      endpoint: z.string().max(300),
      path: z.string().max(8000),
      body: z.string().max(MAX_FORECAST_BODY_CHARS).nullable(),
      /** When the write was sent, and when its end was known, in epoch milliseconds. */
      span: z.strictObject({ startedAt: z.number(), endedAt: z.number() }).optional(),
    }),
    forecastSchema,
  ),
  /**
   * Reads the whole card listing; with `details` each card by itself as well, with `excerpts` the
   * excerpts of each document of the study set, and with `palette` its colors. If all is as in the
   * newest snapshot, that one is returned. Cancelling keeps what was read, as a snapshot that is
   * not whole, or that has details of some cards only.
   * @throws the errors of a read
   */
  'snapshots.take': defineCommandMethod(
    z.strictObject({
      topicid,
      details: z.boolean().optional(),
      excerpts: z.boolean().optional(),
      palette: z.boolean().optional(),
    }),
    snapshotInfoSchema,
  ),
  /** Returns all cards as JSON of `formatSnapshotDocument`. @throws SNAPSHOT_UNKNOWN */
  'snapshots.read': defineBinaryQueryMethod(z.strictObject({ topicid, snapshot: snapshotChoice }), snapshotInfoSchema),
  /** Removes all snapshots of a study set, or of all if none is named. */
  'snapshots.clear': defineCommandMethod(
    z.strictObject({ topicid: topicid.optional() }),
    z.strictObject({ removed: count }),
  ),
}

export const snapshotTopics = {
  /** Snapshots of this study set were added, seen again or removed; of any if it is null. */
  'snapshots.changed': defineTopic(z.strictObject({ topicid: z.string().nullable() })),
  /** Counts `snapshots.take`: listing and details in cards, excerpts in documents. */
  'snapshots.progress': defineTopic(
    z.strictObject({
      topicid: z.string(),
      phase: z.enum(['listing', 'excerpts', 'details']),
      count,
      total: count.nullable(),
    }),
  ),
}
