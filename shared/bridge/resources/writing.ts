import { z } from 'zod'
import { versionMembers, writeBodyMembers } from './common.ts'
import { markComplete, markKnownValues } from './schema-plan.ts'

/** The three session commands take the same body and read different fields of it (spec §4). */
export const sessionCommandBodySchema = z.looseObject({
  requestId: z.string(),
  runId: z.string(),
  questionId: z.string(),
  carrier: z.string(),
  ...writeBodyMembers,
})

export const sessionPauseBodySchema = z.looseObject({ requestId: z.string(), runId: z.string(), ...writeBodyMembers })

/**
 * `accepted` means that the session record was written, and nothing about the canvas (spec §2
 * Session command acknowledgement).
 */
export const sessionAcknowledgementSchema = markComplete(
  z.looseObject({
    ...versionMembers,
    schemaVersion: markKnownValues(z.number(), 1),
    requestId: z.string(),
    runId: z.string(),
    attemptId: z.string(),
    state: markKnownValues(z.string(), 'accepted'),
    outcome: markKnownValues(z.string(), 'pending'),
    settled: markKnownValues(z.boolean(), false),
    persisted: z.boolean(),
    ready: markKnownValues(z.boolean(), false),
    canSwitch: markKnownValues(z.boolean(), false),
  }),
  ['bridgeApiVersion'],
)

const pencilTargetMembers = {
  topicid: z.string(),
  noteid: z.string(),
  /** The id may be the empty string. */
  layerId: z.string(),
}

/** See spec §4 pencil-commit. */
export const pencilCommitBodySchema = z.looseObject({
  surfaceId: z.string(),
  requestId: z.string(),
  target: z.looseObject(pencilTargetMembers),
  ...writeBodyMembers,
})

/** The host accepted the commit but has not finished it (spec §2 Pencil commit acknowledgement). */
export const pencilAcknowledgementSchema = markComplete(
  z.looseObject({
    ...versionMembers,
    schemaVersion: markKnownValues(z.number(), 1),
    state: markKnownValues(z.string(), 'pending'),
    currentness: markKnownValues(z.string(), 'at-native-callback-only'),
    ready: markKnownValues(z.boolean(), false),
    surfaceId: z.string(),
    inputGate: markComplete(
      z.looseObject({
        scope: markKnownValues(z.string(), 'application-ui-only'),
        state: markKnownValues(z.string(), 'active'),
        programmaticNavigationBlocked: z.boolean(),
        grantsCallerLease: z.boolean(),
      }),
    ),
    topicid: z.string(),
    scope: markKnownValues(z.string(), 'focus-pencil-snapshot-only'),
    requestId: z.string(),
    /** The spec reads it at every write (§1), although its table does not show it here. */
    persisted: z.boolean().optional(),
    windowId: z.string(),
    /** Null in every observed response; the contract does not show the shape of a receipt. */
    receipt: markKnownValues(z.unknown(), null),
    canSwitch: markKnownValues(z.boolean(), false),
    target: markComplete(z.looseObject(pencilTargetMembers)),
    inputFrozen: markKnownValues(z.boolean(), true),
    includesNonPencilEditors: markKnownValues(z.boolean(), false),
    durability: markKnownValues(z.string(), 'process-local-operation-record'),
  }),
  ['bridgeApiVersion'],
)

export const pencilResultBodySchema = z.looseObject({ requestId: z.string() })

/** The fields that callers read (spec §4 pencil-result), and the version (spec §9). */
export const pencilResultSchema = z.looseObject({
  ...versionMembers,
  schemaVersion: markKnownValues(z.number(), 1).optional(),
  settled: z.boolean(),
  outcome: z.string(),
  persistedSnapshotVerified: z.boolean().optional(),
  snapshotCurrent: z.boolean().optional(),
})

/** Spec §4 names only `window.topicid` of `GET /writing/context`. */
export const writingContextSchema = z.looseObject({
  ...versionMembers,
  window: z.looseObject({ topicid: z.string().nullable().optional() }).nullable().optional(),
})
