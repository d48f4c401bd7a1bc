// What a write is: its draft, its events, its states and its verdict.
// It sends and derives nothing: that is in electron/services/operations.
// Read this file first.

import { z } from 'zod'
import { timestampSchema } from '../format/timestamp.ts'

/**
 * States of an operation record. They are always derived from its events, so that they cannot
 * contradict what was observed.
 */
export const operationStates = [
  /** Recorded; nothing has been sent yet. */
  'prepared',
  /** The request is on its way; no response yet. */
  'sent',
  /**
   * The host accepted it (spec §3: an acknowledgement is no outcome). The canvas is not saved yet.
   */
  'pending',
  /** The host said how it ended; `outcome` gives the host's own word. */
  'settled',
  /**
   * A plain write that the host reported as done: `persisted: true`, or what its row documents in
   * place of it.
   */
  'persisted',
  /** A success status without saying that everything was done; not called a success. */
  'unconfirmed',
  /**
   * A session command whose session record names this request. It says nothing about the canvas
   * (spec §3 rule 2).
   */
  'recorded',
  /** The request id is in use with another target (spec §4 pencil-commit); not redone. */
  'conflict',
  /**
   * The host responded with an error, or this program refused it: nothing was executed, as far as
   * is known.
   */
  'refused',
  /** Nothing reached the host: refused connection, unknown name, TLS. */
  'not-sent',
  /**
   * Sent, without a response that says anything: timeout, reset, malformed. It may have been
   * executed.
   */
  'unknown-no-answer',
  /**
   * The host restarted, or the record is gone (spec §4: this does not mean that nothing was saved).
   */
  'unknown-host-restart',
  /** The run of the host that got the command has no record of it: it may never have arrived. */
  'unknown-no-record',
  /** The app ended between sending and the response. */
  'unknown-app-ended',
  /**
   * Tracking ended before an outcome: by the user, by the time limit, or because nothing can be
   * polled.
   */
  'given-up',
] as const
export type OperationState = (typeof operationStates)[number]

/** Observed facts in order; a record consists of nothing else. `at` is in epoch milliseconds. */
export const operationEventSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('intent'), at: timestampSchema }),
  z.strictObject({ kind: z.literal('sent'), at: timestampSchema }),
  /** The host's response to the command itself, a success or an error. */
  z.strictObject({
    kind: z.literal('answer'),
    at: timestampSchema,
    status: z.number(),
    /** The parsed body; null if it was not JSON. Long ones are cut and marked. */
    body: z.unknown(),
    cut: z.boolean(),
    durationMs: z.number(),
    exchangeId: z.string(),
    instanceNonce: z.string().nullable(),
    /** For a refusal: whether its request id is in use with another target; null if unknown. */
    requestIdTaken: z.boolean().nullable().optional(),
  }),
  /** No response: `reached` says whether the request may have reached the host. */
  z.strictObject({
    kind: z.literal('failure'),
    at: timestampSchema,
    reached: z.enum(['no', 'maybe']),
    error: z.unknown(),
  }),
  /** One poll of the outcome: `pencil-result`, or the session record. */
  z.strictObject({
    kind: z.literal('observation'),
    at: timestampSchema,
    source: z.enum(['pencil-result', 'session-record']),
    status: z.number(),
    body: z.unknown(),
    cut: z.boolean(),
    exchangeId: z.string(),
    /**
     * For a session record: whether it names this command's request id; null if it names none, and
     * for `pencil-result`.
     */
    matches: z.boolean().nullable(),
    /** Identical to the previous poll, so `body` is null. */
    asBefore: z.literal(true).optional(),
  }),
  /** The host has no such record, or no longer. */
  z.strictObject({
    kind: z.literal('record-gone'),
    at: timestampSchema,
    status: z.number(),
    body: z.unknown(),
    /**
     * Whether the host that was asked is the run that the command was meant for; null or absent if
     * unknown.
     */
    sameRun: z.boolean().nullable().optional(),
  }),
  z.strictObject({
    kind: z.literal('host-restarted'),
    at: timestampSchema,
    from: z.string().nullable(),
    to: z.string().nullable(),
  }),
  /** Found at startup: the app had ended while this was under way. */
  z.strictObject({ kind: z.literal('app-ended'), at: timestampSchema }),
  /** What the command touches, read before it, after it, or on request. */
  z.strictObject({
    kind: z.literal('read-back'),
    at: timestampSchema,
    when: z.enum(['before', 'after', 'asked']),
    /** Null if it could not be read; `error` says why. */
    facts: z.unknown(),
    error: z.unknown(),
    /** Of the host that was asked; null if it does not say. */
    instanceNonce: z.string().nullable(),
  }),
  /** `no-confirmation`: the host lists nothing that could confirm a session command. */
  z.strictObject({
    kind: z.literal('given-up'),
    at: timestampSchema,
    by: z.enum(['person', 'time-limit', 'no-confirmation']),
  }),
  /** Watching resumes after it was given up. */
  z.strictObject({ kind: z.literal('resumed'), at: timestampSchema }),
])
export type OperationEvent = z.infer<typeof operationEventSchema>

/** States of a command whose request id the host never accepted for it, as far as is known. */
export const unacceptedStates: ReadonlySet<OperationState> = new Set(['prepared', 'not-sent', 'refused', 'conflict'])
