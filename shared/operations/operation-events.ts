// The parts of a write: draft, events, states and verdict. Nothing is sent or derived here, but
// in electron/services/operations. Read this file first.

import { z } from 'zod'
import { timestampSchema } from '../format/timestamp.ts'

/** States derive from a record's events, so that they cannot contradict these. */
export const operationStates = [
  /** The write is recorded, but nothing has been sent yet. */
  'prepared',
  /** The request is on its way, and no response has arrived yet. */
  'sent',
  /** The host accepted it (spec §3: no outcome yet). Nothing is known of the canvas. */
  'pending',
  /** The host reported how the command ended; `outcome` is the host's own word. */
  'settled',
  /** A plain write is done: `persisted: true`, or the endpoint's documented members. */
  'persisted',
  /** A success status that does not say that everything was done: no success. */
  'unconfirmed',
  /** The session record names this request. It says nothing about the canvas (spec §3 rule 2). */
  'recorded',
  /** The request id is in use with another target (spec §4 pencil-commit), so nothing was done. */
  'conflict',
  /** An error of the host, or refused by this program. Nothing executed, as far as known. */
  'refused',
  /** Nothing reached the host, because of a refused connection, an unknown name or TLS. */
  'not-sent',
  /** No usable response arrived (timeout, reset, malformed). It may have been executed. */
  'unknown-no-answer',
  /** The host restarted, or the record is gone (spec §4: it may have been saved). */
  'unknown-host-restart',
  /** The host has not restarted but has no record of the command, so it may never have arrived. */
  'unknown-no-record',
  /** The app ended between sending and the response. */
  'unknown-app-ended',
  /** Watching ended without an outcome: stopped, out of time, or nothing can be polled. */
  'given-up',
] as const
export type OperationState = (typeof operationStates)[number]

/** The observed facts of which a record consists, in order. `at` is in epoch milliseconds. */
export const operationEventSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('intent'), at: timestampSchema }),
  z.strictObject({ kind: z.literal('sent'), at: timestampSchema }),
  /** The host responded to the command itself with a success or an error. */
  z.strictObject({
    kind: z.literal('answer'),
    at: timestampSchema,
    status: z.number(),
    /** Parsed body; null if it was not JSON. Long bodies are truncated and marked. */
    body: z.unknown(),
    cut: z.boolean(),
    durationMs: z.number(),
    exchangeId: z.string(),
    instanceNonce: z.string().nullable(),
    /** For a refusal: whether the request id is in use with another target; null if unknown. */
    requestIdTaken: z.boolean().nullable().optional(),
    /** The wait that the host asks for, in its error or in `Retry-After`. */
    retryAfterSeconds: z.number().nonnegative().optional(),
  }),
  /** There is no response; `reached` tells whether the request may have reached the host. */
  z.strictObject({
    kind: z.literal('failure'),
    at: timestampSchema,
    reached: z.enum(['no', 'maybe']),
    error: z.unknown(),
  }),
  /** The outcome was polled once, with `pencil-result` or from the session record. */
  z.strictObject({
    kind: z.literal('observation'),
    at: timestampSchema,
    source: z.enum(['pencil-result', 'session-record']),
    status: z.number(),
    body: z.unknown(),
    cut: z.boolean(),
    exchangeId: z.string(),
    /** True if a session record names this request id; null if it names none. */
    matches: z.boolean().nullable(),
    /** The response equals that of the previous poll, so `body` is null. */
    asBefore: z.literal(true).optional(),
  }),
  /** The host has no such record, or no longer has it. */
  z.strictObject({
    kind: z.literal('record-gone'),
    at: timestampSchema,
    status: z.number(),
    body: z.unknown(),
    /** The host runs as it did when the command was sent; null or absent if unknown. */
    sameRun: z.boolean().nullable().optional(),
  }),
  z.strictObject({
    kind: z.literal('host-restarted'),
    at: timestampSchema,
    from: z.string().nullable(),
    to: z.string().nullable(),
  }),
  /** The app ended while the operation was under way, and found this out at its next start. */
  z.strictObject({ kind: z.literal('app-ended'), at: timestampSchema }),
  /** The data that the command affects was read before the command, after it, or on request. */
  z.strictObject({
    kind: z.literal('read-back'),
    at: timestampSchema,
    when: z.enum(['before', 'after', 'asked']),
    /** Null if the data could not be read; `error` has the reason. */
    facts: z.unknown(),
    error: z.unknown(),
    /** Nonce of the host that was read; null if the host does not give it. */
    instanceNonce: z.string().nullable(),
  }),
  /** `no-confirmation`: the host lists no route that could confirm a session command. */
  z.strictObject({
    kind: z.literal('given-up'),
    at: timestampSchema,
    by: z.enum(['person', 'time-limit', 'no-confirmation']),
  }),
  /** The user resumed watching after it had ended. */
  z.strictObject({ kind: z.literal('resumed'), at: timestampSchema }),
])
export type OperationEvent = z.infer<typeof operationEventSchema>

/** States in which, as far as is known, the host never accepted the command's request id. */
export const unacceptedStates: ReadonlySet<OperationState> = new Set(['prepared', 'not-sent', 'refused', 'conflict'])
