import { z } from 'zod'
import { operationEventSchema, operationStates } from './operation-events.ts'
import { operationVerdictSchema } from './operation-verdict.ts'
import { earlierCommandSchema } from './prepared-write.ts'

const trackingStates = ['none', 'polling', 'paused-offline', 'stopped', 'ended'] as const

export const operationSummarySchema = z.strictObject({
  id: z.string(),
  endpoint: z.string(),
  /** Sent by this app; `watched` by another client's request id; `recorded` as passed on. */
  origin: z.enum(['sent', 'watched', 'recorded']),
  profileId: z.string(),
  profileName: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  state: z.enum(operationStates),
  /** The host's own word; null if it said nothing. */
  outcome: z.string().nullable(),
  verdict: operationVerdictSchema,
  /** Code of the host's error; null if there was none. */
  errorCode: z.string().nullable(),
  /** Code of the transport failure; null if there is a response. */
  failureCode: z.string().nullable(),
  /** Milliseconds from sending to the end; null while open, and for other clients' commands. */
  durationMs: z.number().nullable(),
  /** The place or part of the program that composed the command; null if unknown. */
  caller: z.string().nullable(),
  requestId: z.string().nullable(),
  /** Base URL; records of earlier versions hold only the origin. */
  host: z.string(),
  topicid: z.string().nullable(),
  noteid: z.string().nullable(),
  /** The title when the card was last read for this record. */
  cardTitle: z.string().optional(),
  windowId: z.string().nullable(),
  tracking: z.enum(trackingStates),
  nextLookAt: z.number().nullable(),
  observations: z.number().int(),
  /** The host restarted afterwards, so the record's facts may no longer hold. */
  beforeRestart: z.boolean(),
  /** The state needs attention, and the user has not opened the record since. */
  unseen: z.boolean(),
})
export type OperationSummary = z.infer<typeof operationSummarySchema>

const changeSchema = z.strictObject({ field: z.string(), before: z.unknown(), after: z.unknown() })

export const operationSchema = z.strictObject({
  summary: operationSummarySchema,
  method: z.string(),
  path: z.string(),
  origin: z.string(),
  /** JSON text as sent; null without a body and for a watched record. */
  body: z.string().nullable(),
  events: z.array(operationEventSchema),
  /** Number of events that were dropped between the first and the last ones. */
  eventsDropped: z.number().int(),
  /** In order; each state names the event that led to it. */
  transitions: z.array(z.strictObject({ state: z.enum(operationStates), at: z.number(), event: z.number().int() })),
  /** Differences between the reads before and after, of data the command could change. */
  changes: z.array(changeSchema),
  /** Changes after the command, whoever made them. */
  since: z.array(changeSchema),
  /** False if the command affects no data that can be read. */
  readable: z.boolean(),
  /** The previous command with the same request id. */
  earlier: earlierCommandSchema.nullable(),
})
export type Operation = z.infer<typeof operationSchema>
