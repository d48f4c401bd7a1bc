import { z } from 'zod'
import { operationEventSchema, operationStates } from '../operations/operation-events.ts'
import { operationVerdictSchema } from '../operations/operation-verdict.ts'
import {
  commandDraftSchema,
  earlierCommandSchema,
  preparedWriteSchema,
  previewResponseSchema,
} from '../operations/prepared-write.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'
import { createHostMatcher } from '../bridge/host-matcher.ts'
import { foldText } from '../format/text-folding.ts'

export type OperationFilter = Omit<z.infer<typeof operationFilterSchema>, 'offset' | 'limit'>

/** The parts of a record that the filter looks at. */
export type FilterableOperation = Pick<
  OperationSummary,
  'id' | 'endpoint' | 'state' | 'tracking' | 'topicid' | 'requestId' | 'noteid' | 'host'
>

/**
 * Whether an outcome is still expected, because the operation is on its way or is being tracked.
 */
export const isUnfinished = ({ state, tracking }: Pick<OperationSummary, 'state' | 'tracking'>): boolean =>
  state === 'sent' || state === 'prepared' || tracking === 'polling' || tracking === 'paused-offline'

/** The service process and the page use the same filter, so that a list and its updates agree. */
export function createOperationFilter(filter: OperationFilter): (record: FilterableOperation) => boolean {
  const { endpoint, state, unfinished, topicid, host, text } = filter
  const isSameHost = host === undefined ? null : createHostMatcher(host)
  const needle = foldText(text ?? '')
  return (record) => {
    if (endpoint !== undefined && record.endpoint !== endpoint) return false
    if (topicid !== undefined && record.topicid !== topicid) return false
    if (state !== undefined && record.state !== state) return false
    if (isSameHost !== null && !isSameHost(record.host)) return false
    if (unfinished === true && !isUnfinished(record)) return false
    const ids = [record.id, record.requestId, record.noteid]
    return needle === '' || ids.some((id) => foldText(id ?? '').includes(needle))
  }
}

const id = z.string().min(1).max(100)

const trackingStates = ['none', 'polling', 'paused-offline', 'stopped', 'ended'] as const

const operationSummarySchema = z.strictObject({
  id: z.string(),
  endpoint: z.string(),
  /**
   * `sent`: this app sent it; `watched`: another client's request id is watched; `recorded`:
   * another client's command was passed on.
   */
  origin: z.enum(['sent', 'watched', 'recorded']),
  profileId: z.string(),
  profileName: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  state: z.enum(operationStates),
  outcome: z.string().nullable(),
  verdict: operationVerdictSchema,
  /** Code of the host's error; null if there was none. */
  errorCode: z.string().nullable(),
  /** Code of the transport failure; null if there is a response. */
  failureCode: z.string().nullable(),
  /**
   * Milliseconds from sending to the known end. Null while the operation is open, and for commands
   * of other clients.
   */
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
  /**
   * The record changed to a state that needs attention, and the user has not opened the record
   * since.
   */
  unseen: z.boolean(),
})
export type OperationSummary = z.infer<typeof operationSummarySchema>

const changeSchema = z.strictObject({ field: z.string(), before: z.unknown(), after: z.unknown() })

const operationSchema = z.strictObject({
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
  /**
   * Differences between the reads before and after, limited to data that the command could change.
   */
  changes: z.array(changeSchema),
  /** Changes after the command, whoever made them. */
  since: z.array(changeSchema),
  /** False if the command affects no data that can be read. */
  readable: z.boolean(),
  /** The previous command with the same request id. */
  earlier: earlierCommandSchema.nullable(),
})
export type Operation = z.infer<typeof operationSchema>

export const operationFilterSchema = z.strictObject({
  endpoint: z.string().max(300).optional(),
  state: z.enum(operationStates).optional(),
  /** Matches only records that still wait for an outcome. */
  unfinished: z.boolean().optional(),
  topicid: z.string().max(200).optional(),
  /** Base URL; only records of this host match. */
  host: z.url().max(2000).optional(),
  /** A part of a request id, card id or record id. */
  text: z.string().max(200).optional(),
  offset: z.number().int().nonnegative(),
  limit: z.number().int().min(1).max(1000),
})

/** Whether a profile may write: never, until the app ends, or permanently. */
const writePermissionSchema = z.strictObject({
  profileId: z.string(),
  writing: z.enum(['locked', 'session', 'unlocked']),
})
export type WritePermission = z.infer<typeof writePermissionSchema>

const operationIdSchema = z.strictObject({ id })

/** Numbers of all records, whatever the filter. */
const countSchemas = {
  all: z.number().int(),
  unfinished: z.number().int(),
  unseen: z.number().int(),
}

export const operationMethods = {
  /**
   * Checks a write without sending it.
   * @throws READ_ONLY when locked, and errors of `buildPath` and of the endpoint's schema
   */
  'operations.prepare': defineQueryMethod(commandDraftSchema, preparedWriteSchema),
  /**
   * Sends a prepared command without `confirm`; the ticket stays valid if the host executed
   * nothing.
   */
  'operations.preview': defineCommandMethod(z.strictObject({ ticket: z.string().max(200) }), previewResponseSchema),
  /**
   * Sends the command once. The record is written before the first byte leaves.
   * @throws TICKET_INVALID, TICKET_STALE, READ_ONLY
   */
  'operations.send': defineCommandMethod(z.strictObject({ ticket: z.string().max(200) }), operationSchema),
  'operations.list': defineQueryMethod(
    operationFilterSchema,
    z.strictObject({
      items: z.array(operationSummarySchema),
      /** Number of all records that match the filter. */
      total: z.number().int(),
      /** Study sets that any record names. */
      topicids: z.array(z.string()),
      ...countSchemas,
    }),
  ),
  'operations.get': defineQueryMethod(operationIdSchema, operationSchema),
  'operations.seen': defineCommandMethod(operationIdSchema, z.strictObject({})),
  'operations.seenAll': defineCommandMethod(z.strictObject({}), z.strictObject({})),
  /**
   * Watches a request id, which may be a plugin's. Polls once before it resolves; rejects if the
   * host cannot be reached.
   */
  'operations.watch': defineCommandMethod(z.strictObject({ requestId: id }), operationSchema),
  /**
   * Polls once and rejects if the host cannot be reached.
   * @throws OPERATION_ELSEWHERE, NOTHING_TO_LOOK_AT
   */
  'operations.look': defineCommandMethod(operationIdSchema, operationSchema),
  'operations.stop': defineCommandMethod(operationIdSchema, operationSchema),
  'operations.resume': defineCommandMethod(operationIdSchema, operationSchema),
  'operations.readBack': defineCommandMethod(operationIdSchema, operationSchema),
  /**
   * Reads back the data of every operation from before the host's last restart. `nothing` counts
   * operations that affect no readable data.
   */
  'operations.readBackAll': defineCommandMethod(
    z.strictObject({}),
    z.strictObject({ read: z.number().int(), failed: z.number().int(), nothing: z.number().int() }),
  ),
  'operations.writing': defineQueryMethod(z.strictObject({ profileId: id }), writePermissionSchema),
  /**
   * `session` unlocks writing until the app ends or the profile is left, `profile` permanently;
   * `lock` revokes it.
   */
  'operations.unlock': defineCommandMethod(
    z.strictObject({ profileId: id, scope: z.enum(['session', 'profile', 'lock']) }),
    writePermissionSchema,
  ),
}

export const operationTopics = {
  'operations.writing': defineTopic(writePermissionSchema),
  /** At most one message is sent per 100 ms. */
  'operations.changed': defineTopic(
    z.strictObject({
      items: z.array(operationSummarySchema).max(500),
      /** Ids of records that no longer exist. */
      removed: z.array(z.string()).max(500),
      /**
       * False if there were more changes than fit into one message, so that lists must be read
       * again.
       */
      complete: z.boolean(),
      ...countSchemas,
    }),
  ),
}
