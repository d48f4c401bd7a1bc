import { z } from 'zod'
import { operationEventSchema, operationStates } from '../bridge/operation-states.ts'
import { command, query, topic } from './define.ts'

const id = z.string().min(1).max(100)
const text = z.string().max(2000)

/** A command as the page composes it; checked against the endpoint's row in the service process. */
export const commandDraftSchema = z.strictObject({
  endpoint: z.string().max(100),
  params: z.record(z.string().max(100), text),
  query: z.record(z.string().max(100), z.union([text, z.number()])),
  /** JSON; the gate adds `confirm: true` where the row asks for it. */
  body: z.unknown().optional(),
})
export type CommandDraft = z.infer<typeof commandDraftSchema>

/** What a person should know before a command is sent (`operations.warning.<code>`). */
export const operationWarnings = [
  /** It shows something on the screen of the host's user. */
  'takes-over-screen',
  'cannot-be-undone',
  /** The host executes it at once, whatever the body says of `confirm`. */
  'no-confirm-gate',
  /** A host rewrites `addon` for panels; from here it is sent as it stands. */
  'addon-is-rewritten',
  'requires-max',
  'not-listed',
  /** The page gave `confirm`; the gate alone decides on it. */
  'confirm-ignored',
  /** `params.requestId`: the unfinished commit of the same window. */
  'unfinished-commit',
  /** `params.operationId`: sent before with the same request. */
  'replay',
  /** `params.operationId`: sent before with another target. */
  'other-target',
  /** The journal is not on a disk: after a crash nothing would know of this. */
  'not-journaled',
] as const

/** Everything that would be sent, and everything that a person should know before it is. */
export const preparedSchema = z.strictObject({
  /** Good for one send of exactly this, to this target, on this connection, for ten minutes. */
  ticket: z.string(),
  expiresAt: z.number(),
  endpoint: z.string(),
  access: z.enum(['write', 'navigate']),
  method: z.string(),
  /** Path with query as it will be sent, without scheme and host. */
  path: z.string(),
  /** `http://127.0.0.1:42340`, for the person to see where it goes. */
  origin: z.string(),
  /** Without the token: its header is named, its value replaced. */
  headers: z.record(z.string(), z.string()),
  /** The body's JSON text exactly as it will be sent; null = no body. */
  body: z.string().nullable(),
  /** Members that the gate added to what the page gave, such as `confirm`. */
  added: z.array(z.string()),
  /** From the capabilities; null where they do not say. */
  requiresMax: z.boolean().nullable(),
  /** Whether the capabilities list the route; null without capabilities. */
  listed: z.boolean().nullable(),
  /** The row has a confirm gate: without `confirm` nothing is executed, so a preview can be asked of the host. */
  canPreview: z.boolean(),
  warnings: z.array(z.strictObject({ code: z.enum(operationWarnings), params: z.record(z.string(), z.string()) })),
  /** The unfinished commit of the same window, which the host will not let another one pass. */
  blockedBy: z.string().nullable(),
  /** An earlier record with this request id: `replay` = the same request, `conflict` = another target. */
  sameRequestId: z.strictObject({ operationId: z.string(), relation: z.enum(['replay', 'conflict']) }).nullable(),
})
export type Prepared = z.infer<typeof preparedSchema>

/** What a host answered to the command without `confirm`: nothing was executed. */
export const previewSchema = z.strictObject({
  status: z.number(),
  code: z.string().nullable(),
  message: z.string().nullable(),
  /** `error.details`: a true dry run on some routes. */
  details: z.unknown(),
  /** The whole answer. */
  body: z.unknown(),
  /** False when the host did not refuse: it may have executed the command although `confirm` was missing. */
  refusedAsExpected: z.boolean(),
  /** The record of it, which is kept unless the host refused as expected: then nothing was executed. */
  operationId: z.string().nullable(),
  durationMs: z.number(),
})
export type Preview = z.infer<typeof previewSchema>

/** What proves, or does not prove, that a write is in the host (codes are translated by the page). */
export const verdictSchema = z.strictObject({
  code: z.enum([
    'in-progress',
    'saved-and-verified',
    'saved-unverified',
    // The host said `persisted: true`, and what was read back is not what was sent.
    'saved-but-differs',
    'accepted-only',
    'settled-not-saved',
    // It ended, and the host did not say whether a snapshot was verified.
    'settled-unverified',
    // The session record was read again and names this request: it says nothing of the canvas.
    'session-recorded',
    // The session record was read again and names another request.
    'session-other',
    'nothing-sent',
    'refused',
    'refused-unchanged',
    'refused-changed',
    'unknown-not-read-back',
    'unknown-changed',
    'unknown-unchanged',
    'no-confirmation-exists',
  ]),
  /** Separate facts, in the host's words; null = never said. */
  persisted: z.boolean().nullable(),
  outcome: z.string().nullable(),
  persistedSnapshotVerified: z.boolean().nullable(),
  snapshotCurrent: z.boolean().nullable(),
})
export type Verdict = z.infer<typeof verdictSchema>

export const trackingStates = ['none', 'polling', 'paused-offline', 'stopped', 'ended'] as const

/** A record as lists show it. */
export const operationSummarySchema = z.strictObject({
  id: z.string(),
  /** Id of the endpoint's row. */
  endpoint: z.string(),
  /** `sent` by this app, or `watched`: another client's request id. */
  origin: z.enum(['sent', 'watched']),
  profileId: z.string(),
  profileName: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  state: z.enum(operationStates),
  outcome: z.string().nullable(),
  verdict: verdictSchema,
  /** Code of the host's error, if it answered one. */
  errorCode: z.string().nullable(),
  requestId: z.string().nullable(),
  topicid: z.string().nullable(),
  noteid: z.string().nullable(),
  windowId: z.string().nullable(),
  tracking: z.enum(trackingStates),
  nextLookAt: z.number().nullable(),
  observations: z.number().int(),
  /** The host restarted since: what was seen may no longer hold. */
  beforeRestart: z.boolean(),
  /** A person has not opened it since it changed to something that asks for attention. */
  unseen: z.boolean(),
})
export type OperationSummary = z.infer<typeof operationSummarySchema>

export const operationSchema = z.strictObject({
  summary: operationSummarySchema,
  method: z.string(),
  path: z.string(),
  origin: z.string(),
  /** JSON text as sent; null = no body, or a watched record. */
  body: z.string().nullable(),
  events: z.array(operationEventSchema),
  /** Events beyond the kept ones (first and last stay). */
  eventsDropped: z.number().int(),
  /** The states that it went through, in order, with the event that led there. */
  transitions: z.array(z.strictObject({ state: z.enum(operationStates), at: z.number(), event: z.number().int() })),
  /** Difference between what was read before and last: only what the command could have touched. */
  changes: z.array(
    z.strictObject({
      field: z.string(),
      before: z.unknown(),
      after: z.unknown(),
    }),
  ),
})
export type Operation = z.infer<typeof operationSchema>

export const operationFilterSchema = z.strictObject({
  endpoint: z.string().max(100).optional(),
  state: z.enum(operationStates).optional(),
  /** Only records that still wait for an outcome. */
  unfinished: z.boolean().optional(),
  topicid: z.string().max(200).optional(),
  /** Part of a request id, card id or record id. */
  text: z.string().max(200).optional(),
  offset: z.number().int().nonnegative(),
  limit: z.number().int().min(1).max(1000),
})

/** Whether a profile may write: never, until the app ends, or for good. */
export const writingSchema = z.strictObject({
  profileId: z.string(),
  writing: z.enum(['locked', 'session', 'unlocked']),
})
export type Writing = z.infer<typeof writingSchema>

const one = z.strictObject({ id })

export const operationMethods = {
  /** Checks and shows a write, sends nothing. Throws `READ_ONLY` under lock and what `buildPath` and the row's schema throw. */
  'operations.prepare': query(commandDraftSchema, preparedSchema),
  /** Sends a prepared command without `confirm`; the ticket stays good. */
  'operations.preview': command(z.strictObject({ ticket: z.string().max(200) }), previewSchema),
  /** Sends it, once. The record is written before the first byte leaves. Throws `TICKET_INVALID`, `TICKET_STALE`, `READ_ONLY`. */
  'operations.send': command(z.strictObject({ ticket: z.string().max(200) }), operationSchema),
  'operations.list': query(
    operationFilterSchema,
    z.strictObject({
      items: z.array(operationSummarySchema),
      total: z.number().int(),
      unfinished: z.number().int(),
      unseen: z.number().int(),
    }),
  ),
  'operations.get': query(one, operationSchema),
  'operations.seen': command(one, z.strictObject({})),
  /** Watches a request id, also one that a plugin made. Looks once before it answers; throws where the host cannot be asked. */
  'operations.watch': command(z.strictObject({ requestId: id }), operationSchema),
  /** Looks once, now. Throws where the host cannot be asked, `OPERATION_ELSEWHERE` and `NOTHING_TO_LOOK_AT`. */
  'operations.look': command(one, operationSchema),
  'operations.stop': command(one, operationSchema),
  'operations.resume': command(one, operationSchema),
  'operations.readBack': command(one, operationSchema),
  /** Reads back everything from before the last restart of the host; answers how many could be read. */
  'operations.readBackAll': command(
    z.strictObject({}),
    z.strictObject({ read: z.number().int(), failed: z.number().int() }),
  ),
  /** Whether this profile may write, and for how long. */
  'operations.writing': query(z.strictObject({ profileId: id }), writingSchema),
  /** `session` until the app ends or the profile is left, `profile` for good, `lock` takes it back. */
  'operations.unlock': command(
    z.strictObject({ profileId: id, scope: z.enum(['session', 'profile', 'lock']) }),
    writingSchema,
  ),
}

export const operationTopics = {
  'operations.writing': topic(writingSchema),
  /** Records that changed, at most one message a 100 ms; the page asks again for what else it shows. */
  'operations.changed': topic(
    z.strictObject({
      items: z.array(operationSummarySchema).max(500),
      total: z.number().int(),
      unfinished: z.number().int(),
      unseen: z.number().int(),
    }),
  ),
}
