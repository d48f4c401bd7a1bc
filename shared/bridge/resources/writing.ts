import { z } from 'zod'
import { versionMembers, writeBodyMembers } from './common.ts'

/** spec §4: the three session commands share an input, of which each reads some fields. */
export const sessionCommandBodySchema = z.looseObject({
  requestId: z.string(),
  runId: z.string(),
  questionId: z.string(),
  carrier: z.string(),
  ...writeBodyMembers,
})

export const sessionPauseBodySchema = z.looseObject({ requestId: z.string(), runId: z.string(), ...writeBodyMembers })

/**
 * spec §2 Session command acknowledgement. `accepted` says that the session record was written, and
 * nothing about the canvas.
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
  /** May be the empty string. */
  layerId: z.string(),
})

/** spec §4 pencil-commit. */
export const pencilCommitBodySchema = z.looseObject({
  surfaceId: z.string(),
  requestId: z.string(),
  target: pencilTargetSchema,
  ...writeBodyMembers,
})

/** spec §2 Pencil commit acknowledgement: accepted, not finished. */
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
  /** null in every observed response; its other shape is not shown. */
  receipt: z.unknown(),
  canSwitch: z.boolean(),
  target: pencilTargetSchema,
  inputFrozen: z.boolean(),
  includesNonPencilEditors: z.boolean(),
  durability: z.string(),
})

export const pencilResultBodySchema = z.looseObject({ requestId: z.string() })

/** spec §4 pencil-result: the fields that callers read; no others are shown. */
export const pencilResultSchema = z.looseObject({
  ...versionMembers,
  settled: z.boolean(),
  outcome: z.string(),
  persistedSnapshotVerified: z.boolean().optional(),
  snapshotCurrent: z.boolean().optional(),
})

/** `GET /writing/context`: spec §4 names `window.topicid`; the rest is not shown. */
export const writingContextSchema = z.looseObject({
  ...versionMembers,
  window: z.looseObject({ topicid: z.string().nullable().optional() }).nullable().optional(),
})
