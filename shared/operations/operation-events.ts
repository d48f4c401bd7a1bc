import { z } from 'zod'
import { timestampSchema } from '../format/timestamp.ts'

/**
 * States of an operation record. They are derived from its events (`fate/state.ts`), never stored, so that conclusions cannot contradict
 * what was seen.
 */
export const operationStates = [
  /** Recorded; nothing has been sent yet. */
  'prepared',
  /** The request is on its way; no answer yet. */
  'sent',
  /** The host accepted it (spec §3: an acknowledgement is no outcome). The canvas is not saved yet. */
  'pending',
  /** The host said how it ended; `outcome` gives the host's own word. */
  'settled',
  /** A plain write that the host reported as done: `persisted: true`, or what its row documents in place of it. */
  'persisted',
  /** A success status without saying that everything was done; not called a success. */
  'unconfirmed',
  /** A session command whose session record was read again and names this request. It says nothing about the canvas (spec §3 rule 2). */
  'recorded',
  /** The request id is in use with another target (spec §4 pencil-commit); not redone. */
  'conflict',
  /** The host answered with an error, or our own gate held it back: nothing was executed, as far as the answer says. */
  'refused',
  /** Nothing reached the host: refused connection, unknown name, TLS. */
  'not-sent',
  /** Sent, without an answer that says anything: timeout, reset, malformed. It may have been executed. */
  'unknown-no-answer',
  /** The host restarted, or the record is gone (spec §4: this does not mean that nothing was saved). */
  'unknown-host-restart',
  /** The run of the host that the command was meant for says that it has no record of it: it may never have arrived. */
  'unknown-no-record',
  /** The app ended between sending and the answer. */
  'unknown-app-ended',
  /** The user, the time limit, or the lack of anything to look at ended the watching before an outcome. */
  'given-up',
] as const
export type OperationState = (typeof operationStates)[number]

/** Something that was seen, in order; a record consists of nothing else. `at` is in epoch milliseconds. */
export const operationEventSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('intent'), at: timestampSchema }),
  z.strictObject({ kind: z.literal('sent'), at: timestampSchema }),
  /** The host's answer to the command itself, a success or an error. */
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
    /** For a refusal: whether its request id is in use with another target; null if that could not be found out. */
    requestIdTaken: z.boolean().nullable().optional(),
  }),
  /** No answer: `reached` says whether the request may have reached the host. */
  z.strictObject({
    kind: z.literal('failure'),
    at: timestampSchema,
    reached: z.enum(['no', 'maybe']),
    error: z.unknown(),
  }),
  /** One look at the outcome: `pencil-result`, or the session record read again. */
  z.strictObject({
    kind: z.literal('observation'),
    at: timestampSchema,
    source: z.enum(['pencil-result', 'session-record']),
    status: z.number(),
    body: z.unknown(),
    cut: z.boolean(),
    exchangeId: z.string(),
    /** For a session record: whether it names this command's request id; null if it names none, and for `pencil-result`. */
    matches: z.boolean().nullable(),
    /** Identical to the look before it, so its body is not kept twice: `body` is null. */
    asBefore: z.literal(true).optional(),
  }),
  /** The host knows no such record, or no longer. */
  z.strictObject({
    kind: z.literal('record-gone'),
    at: timestampSchema,
    status: z.number(),
    body: z.unknown(),
    /** Whether the host that was asked is the run that the command was meant for; null or absent if unknown. */
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
