import { z } from 'zod'
import { versionMembers, writeBodyMembers } from './common.ts'
import { markExamples, stateMembers, stateTable } from './schema-plan.ts'

/** The three session commands take the same body and read different fields of it (spec §4). */
export const sessionCommandBodySchema = stateMembers(
  z.looseObject({
    requestId: z.string(),
    runId: z.string(),
    questionId: z.string(),
    carrier: z.string(),
    ...writeBodyMembers,
  }),
  { always: ['requestId', 'runId'], sometimes: ['questionId', 'carrier', 'confirm'] },
)

export const sessionPauseBodySchema = stateMembers(
  z.looseObject({ requestId: z.string(), runId: z.string(), ...writeBodyMembers }),
  { always: ['requestId', 'runId'], sometimes: ['confirm'] },
)

/**
 * `accepted` means that the session record was written, and nothing about the canvas (spec §2
 * Session command acknowledgement).
 */
export const sessionAcknowledgementSchema = stateTable(
  z.looseObject({
    ...versionMembers,
    schemaVersion: markExamples(z.number(), 1),
    requestId: z.string(),
    runId: z.string(),
    attemptId: z.string(),
    state: markExamples(z.string(), 'accepted'),
    outcome: markExamples(z.string(), 'pending'),
    settled: markExamples(z.boolean(), false),
    persisted: z.boolean(),
    ready: markExamples(z.boolean(), false),
    canSwitch: markExamples(z.boolean(), false),
  }),
)

const pencilTargetMembers = {
  topicid: z.string(),
  noteid: z.string(),
  /** The id may be the empty string. */
  layerId: z.string(),
}

/** See spec §4 pencil-commit. */
export const pencilCommitBodySchema = stateMembers(
  z.looseObject({
    surfaceId: z.string(),
    requestId: z.string(),
    target: stateMembers(z.looseObject(pencilTargetMembers), { always: ['topicid', 'noteid', 'layerId'] }),
    ...writeBodyMembers,
  }),
  { always: ['surfaceId', 'requestId', 'target'], sometimes: ['confirm'] },
)

/** The host accepted the commit but has not finished it (spec §2 Pencil commit acknowledgement). */
export const pencilAcknowledgementSchema = stateTable(
  z.looseObject({
    ...versionMembers,
    schemaVersion: markExamples(z.number(), 1),
    state: markExamples(z.string(), 'pending'),
    currentness: markExamples(z.string(), 'at-native-callback-only'),
    ready: markExamples(z.boolean(), false),
    surfaceId: z.string(),
    inputGate: stateTable(
      z.looseObject({
        scope: markExamples(z.string(), 'application-ui-only'),
        state: markExamples(z.string(), 'active'),
        programmaticNavigationBlocked: z.boolean(),
        grantsCallerLease: z.boolean(),
      }),
    ),
    topicid: z.string(),
    scope: markExamples(z.string(), 'focus-pencil-snapshot-only'),
    requestId: z.string(),
    /** The spec reads it at every write (§1), although its table does not show it here. */
    persisted: z.boolean().optional(),
    windowId: z.string(),
    /** Null in every observed response; the contract does not show the shape of a receipt. */
    receipt: markExamples(z.unknown(), null),
    canSwitch: markExamples(z.boolean(), false),
    target: stateTable(z.looseObject(pencilTargetMembers)),
    inputFrozen: markExamples(z.boolean(), true),
    includesNonPencilEditors: markExamples(z.boolean(), false),
    durability: markExamples(z.string(), 'process-local-operation-record'),
  }),
  { sometimes: ['persisted'] },
)

export const pencilResultBodySchema = stateMembers(z.looseObject({ requestId: z.string() }), { always: ['requestId'] })

/**
 * The fields that callers read (spec §4 pencil-result, which shows no types), and the versions
 * (spec §9). Only `settled` has to be there for the outcome to be found.
 */
export const pencilResultSchema = stateMembers(
  z.looseObject({
    ...versionMembers,
    schemaVersion: markExamples(z.number(), 1).optional(),
    settled: z.boolean(),
    outcome: z.string().nullable().optional(),
    persistedSnapshotVerified: z.boolean().nullable().optional(),
    snapshotCurrent: z.boolean().nullable().optional(),
  }),
  { always: ['settled'], sometimes: ['bridgeApiVersion', 'schemaVersion'], untyped: ['settled'] },
)

/** Spec §4 names only `window.topicid` of `GET /writing/context`. */
export const writingContextSchema = z.looseObject({
  ...versionMembers,
  window: z.looseObject({ topicid: z.string().nullable().optional() }).nullable().optional(),
})
