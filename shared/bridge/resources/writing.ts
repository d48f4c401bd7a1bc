import { z } from 'zod'
import { versionMembers, writeBodyMembers } from './common.ts'

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
export const sessionAcknowledgementSchema = z.looseObject({
  ...versionMembers,
  schemaVersion: z.number(),
  requestId: z.string(),
  runId: z.string(),
  attemptId: z.string(),
  state: z.string(),
  outcome: z.string(),
  settled: z.boolean(),
  persisted: z.boolean(),
  ready: z.boolean(),
  canSwitch: z.boolean(),
})

const pencilTargetSchema = z.looseObject({
  topicid: z.string(),
  noteid: z.string(),
  /** The id may be the empty string. */
  layerId: z.string(),
})

/** See spec §4 pencil-commit. */
export const pencilCommitBodySchema = z.looseObject({
  surfaceId: z.string(),
  requestId: z.string(),
  target: pencilTargetSchema,
  ...writeBodyMembers,
})

/** The host accepted the commit but has not finished it (spec §2 Pencil commit acknowledgement). */
export const pencilAcknowledgementSchema = z.looseObject({
  ...versionMembers,
  schemaVersion: z.number(),
  state: z.string(),
  currentness: z.string(),
  ready: z.boolean(),
  surfaceId: z.string(),
  inputGate: z.looseObject({
    scope: z.string(),
    state: z.string(),
    programmaticNavigationBlocked: z.boolean(),
    grantsCallerLease: z.boolean(),
  }),
  topicid: z.string(),
  scope: z.string(),
  requestId: z.string(),
  windowId: z.string(),
  /** Null in every observed response; the contract does not show the shape of a receipt. */
  receipt: z.unknown(),
  canSwitch: z.boolean(),
  target: pencilTargetSchema,
  inputFrozen: z.boolean(),
  includesNonPencilEditors: z.boolean(),
  durability: z.string(),
})

export const pencilResultBodySchema = z.looseObject({ requestId: z.string() })

/** The fields that callers read (spec §4 pencil-result); the contract shows no others. */
export const pencilResultSchema = z.looseObject({
  ...versionMembers,
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
