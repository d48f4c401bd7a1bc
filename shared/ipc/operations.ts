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

/** The filter looks only at these parts of a record. */
export type FilterableOperation = Pick<
  OperationSummary,
  'id' | 'endpoint' | 'state' | 'tracking' | 'topicid' | 'requestId' | 'noteid' | 'host'
>

/**
 * Whether an outcome is still expected, because the operation is on its way or is being tracked.
 */
export const isUnfinished = ({ state, tracking }: Pick<OperationSummary, 'state' | 'tracking'>): boolean =>
  state === 'sent' || state === 'prepared' || tracking === 'polling' || tracking === 'paused-offline'

/** Creates a predicate for records, which both the service process and the page use. */
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
  /** This is the id of the endpoint's row. */
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
  /** This is the code of the host's error; it is null if there was none. */
  errorCode: z.string().nullable(),
  /** This is the code of the transport failure while there is no response; otherwise null. */
  failureCode: z.string().nullable(),
  /**
   * This counts milliseconds from sending to the known end. It is null while the operation is open,
   * and for commands of other clients.
   */
  durationMs: z.number().nullable(),
  /**
   * This names the place or part of the program that composed the command; it is null if unknown.
   */
  caller: z.string().nullable(),
  requestId: z.string().nullable(),
  /** This is the base URL of the host; records of earlier versions hold only the origin. */
  host: z.string(),
  topicid: z.string().nullable(),
  noteid: z.string().nullable(),
  /** The card had this title when it was last read for this record. */
  cardTitle: z.string().optional(),
  windowId: z.string().nullable(),
  tracking: z.enum(trackingStates),
  nextLookAt: z.number().nullable(),
  observations: z.number().int(),
  /** The host restarted afterwards, so the record's facts may no longer hold. */
  beforeRestart: z.boolean(),
  /** The record changed to a state that needs attention, and the user has not opened it since. */
  unseen: z.boolean(),
})
export type OperationSummary = z.infer<typeof operationSummarySchema>

const changeSchema = z.strictObject({ field: z.string(), before: z.unknown(), after: z.unknown() })

const operationSchema = z.strictObject({
  summary: operationSummarySchema,
  method: z.string(),
  path: z.string(),
  origin: z.string(),
  /** This is the JSON text as sent; it is null without a body and for a watched record. */
  body: z.string().nullable(),
  events: z.array(operationEventSchema),
  /** This many events between the first and the last ones were dropped. */
  eventsDropped: z.number().int(),
  /** The states are in order; each names the event that led to it. */
  transitions: z.array(z.strictObject({ state: z.enum(operationStates), at: z.number(), event: z.number().int() })),
  /**
   * These are the differences between the reads before and after, limited to data that the command
   * could change.
   */
  changes: z.array(changeSchema),
  /** These are later changes, whoever made them. */
  since: z.array(changeSchema),
  /** At least some of the data that the operation touches can be read. */
  readable: z.boolean(),
  /** This is the previous command with the same request id. */
  earlier: earlierCommandSchema.nullable(),
})
export type Operation = z.infer<typeof operationSchema>

export const operationFilterSchema = z.strictObject({
  endpoint: z.string().max(300).optional(),
  state: z.enum(operationStates).optional(),
  /** Only records that still wait for an outcome match. */
  unfinished: z.boolean().optional(),
  topicid: z.string().max(200).optional(),
  /** Only records of the host with this base URL match. */
  host: z.url().max(2000).optional(),
  /** This text is part of a request id, card id or record id. */
  text: z.string().max(200).optional(),
  offset: z.number().int().nonnegative(),
  limit: z.number().int().min(1).max(1000),
})

/** A profile may write never, until the app ends, or permanently. */
const writePermissionSchema = z.strictObject({
  profileId: z.string(),
  writing: z.enum(['locked', 'session', 'unlocked']),
})
export type WritePermission = z.infer<typeof writePermissionSchema>

const operationIdSchema = z.strictObject({ id })

/** The counts include all records, whatever the filter. */
const countSchemas = {
  all: z.number().int(),
  unfinished: z.number().int(),
  unseen: z.number().int(),
}

export const operationMethods = {
  /**
   * Checks a write without sending it.
   * @throws READ_ONLY when locked, and errors of `buildPath` and of the row's schema
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
      /** This counts all records that match the filter. */
      total: z.number().int(),
      /** These are the study sets that any record names. */
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
   * Reads back everything from before the host's last restart. `nothing` counts operations that
   * touch no readable data.
   */
  'operations.readBackAll': defineCommandMethod(
    z.strictObject({}),
    z.strictObject({ read: z.number().int(), failed: z.number().int(), nothing: z.number().int() }),
  ),
  /** Returns whether this profile may write, and for how long. */
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
  /** Reports records that changed in at most one message per 100 ms. */
  'operations.changed': defineTopic(
    z.strictObject({
      items: z.array(operationSummarySchema).max(500),
      /** Records with these ids no longer exist. */
      removed: z.array(z.string()).max(500),
      /**
       * If there were more changes than fit into one message, this is false and lists must be read
       * again.
       */
      complete: z.boolean(),
      ...countSchemas,
    }),
  ),
}
