import { z } from 'zod'
import { type ReadBack, readBacks } from './read-back.ts'
import { defineRead, defineWrite } from './row-builders.ts'
import { acknowledgedOutcome } from './outcomes.ts'
import { versionMembers, writeBodyMembers } from '../resources/common.ts'
import { markExamples, declareMembers, declareTable } from '../resources/schema-plan.ts'

/** The three session commands take the same body and read different fields of it (spec §4). */
const sessionCommandBodySchema = declareMembers(
  z.looseObject({
    requestId: z.string(),
    runId: z.string(),
    questionId: z.string(),
    carrier: z.string(),
    ...writeBodyMembers,
  }),
  { always: ['requestId', 'runId'], sometimes: ['questionId', 'carrier', 'confirm'] },
)

const sessionPauseBodySchema = declareMembers(
  z.looseObject({ requestId: z.string(), runId: z.string(), ...writeBodyMembers }),
  { always: ['requestId', 'runId'], sometimes: ['confirm'] },
)

/** `accepted`: the session record was written; nothing about the canvas (spec §2). */
const sessionAcknowledgementSchema = declareTable(
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
const pencilCommitBodySchema = declareMembers(
  z.looseObject({
    surfaceId: z.string(),
    requestId: z.string(),
    target: declareMembers(z.looseObject(pencilTargetMembers), { always: ['topicid', 'noteid', 'layerId'] }),
    ...writeBodyMembers,
  }),
  { always: ['surfaceId', 'requestId', 'target'], sometimes: ['confirm'] },
)

/** The host accepted the commit but has not finished it (spec §2 Pencil commit acknowledgement). */
const pencilAcknowledgementSchema = declareTable(
  z.looseObject({
    ...versionMembers,
    schemaVersion: markExamples(z.number(), 1),
    state: markExamples(z.string(), 'pending'),
    currentness: markExamples(z.string(), 'at-native-callback-only'),
    ready: markExamples(z.boolean(), false),
    surfaceId: z.string(),
    inputGate: declareTable(
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
    target: declareTable(z.looseObject(pencilTargetMembers)),
    inputFrozen: markExamples(z.boolean(), true),
    includesNonPencilEditors: markExamples(z.boolean(), false),
    durability: markExamples(z.string(), 'process-local-operation-record'),
  }),
  { sometimes: ['persisted'] },
)

const pencilResultBodySchema = declareMembers(
  z.looseObject({ requestId: z.string().describe('The same one as in pencil-commit, not a new one') }),
  { always: ['requestId'] },
)

/** Fields of spec §4 pencil-result, and versions (spec §9). Only `settled` has to be there. */
const pencilResultSchema = declareMembers(
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
const writingContextSchema = z.looseObject({
  ...versionMembers,
  window: z.looseObject({ topicid: z.string().nullable().optional() }).nullable().optional(),
})

const defineSessionCommand = <const Id extends string>(
  id: Id,
  path: string,
  summary: string,
  body: z.ZodType,
  touches: ReadBack = readBacks.session,
) =>
  defineWrite('handwriting', body, sessionAcknowledgementSchema, {
    id,
    path,
    summary,
    requiresMax: null,
    outcome: acknowledgedOutcome,
    command: 'session',
    touches: [touches],
    dataKinds: ['session'],
    face: { name: 'writing' },
    spec: `spec §4 ${path.slice(9)}`,
  })

/** Described in spec-0.91 §4. */
export const writingEndpoints = [
  defineRead('handwriting', writingContextSchema, {
    id: 'writing.context',
    dataKinds: ['session', 'screen'],
    path: '/writing/context',
    summary: 'The window that is being written in.',
    spec: 'spec §4 referenced',
  }),
  defineSessionCommand(
    'writing.sessionFocusBegin',
    '/writing/session-focus-begin',
    'Starts a focus-card attempt inside a practice session.',
    sessionCommandBodySchema,
  ),
  defineSessionCommand(
    'writing.sessionReserve',
    '/writing/session-reserve',
    'Reserves the next attempt of the current practice session.',
    sessionCommandBodySchema,
  ),
  defineSessionCommand(
    'writing.sessionPause',
    '/writing/session-pause',
    'Pauses the current practice session; writes only its record.',
    sessionPauseBodySchema,
    readBacks.pausedSession,
  ),
  defineWrite('handwriting', pencilCommitBodySchema, pencilAcknowledgementSchema, {
    id: 'writing.pencilCommit',
    dataKinds: ['handwriting', 'session', 'studySets'],
    path: '/writing/pencil-commit',
    summary: 'Saves the focus root canvas’s strokes as a snapshot; the response is an acceptance, not the outcome.',
    statuses: { success: [202], refusal: [], isExample: true },
    requiresMax: null,
    outcome: acknowledgedOutcome,
    command: 'pencil',
    face: { name: 'writing' },
    spec: 'spec §4 pencil-commit',
  }),
  defineRead('handwriting', pencilResultSchema, {
    id: 'writing.pencilResult',
    method: 'POST',
    path: '/writing/pencil-result',
    summary: 'Outcome of a pencil commit by its request id; a POST that only reads.',
    body: pencilResultBodySchema,
    command: 'pencil',
    spec: 'spec §4 pencil-result',
  }),
]
