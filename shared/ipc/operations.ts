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

/** An outcome is still expected: the operation is on its way, or being tracked. */
export const isUnfinished = ({ state, tracking }: Pick<OperationSummary, 'state' | 'tracking'>): boolean =>
  state === 'sent' || state === 'prepared' || tracking === 'polling' || tracking === 'paused-offline'

/** Whether a record belongs in the list; used by both the service process and the page. */
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

/** A record as lists show it. */
const operationSummarySchema = z.strictObject({
  id: z.string(),
  /** Id of the endpoint's row. */
  endpoint: z.string(),
  /** `sent` by this app, `watched`: another client's request id, or `recorded`: sent by another client, and passed on. */
  origin: z.enum(['sent', 'watched', 'recorded']),
  profileId: z.string(),
  profileName: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  state: z.enum(operationStates),
  outcome: z.string().nullable(),
  verdict: operationVerdictSchema,
  /** Code of the host's error, if it answered with one. */
  errorCode: z.string().nullable(),
  /** Code of what kept the command or its answer from getting through, while the host has answered nothing. */
  failureCode: z.string().nullable(),
  /** Milliseconds from its sending to what is known of its end; null while that is open, and for what was not sent from here. */
  durationMs: z.number().nullable(),
  /** Who composed it: the name of a place or of another part of the program; null if unknown. */
  caller: z.string().nullable(),
  requestId: z.string().nullable(),
  /** Base URL of its host; in records of earlier versions, the origin. */
  host: z.string(),
  topicid: z.string().nullable(),
  noteid: z.string().nullable(),
  /** The card's title when it was last read for this record; absent if it never was. */
  cardTitle: z.string().optional(),
  windowId: z.string().nullable(),
  tracking: z.enum(trackingStates),
  nextLookAt: z.number().nullable(),
  observations: z.number().int(),
  /** The host has restarted since: what was seen may no longer hold. */
  beforeRestart: z.boolean(),
  /** The user has not opened it since it changed to something that needs attention. */
  unseen: z.boolean(),
})
export type OperationSummary = z.infer<typeof operationSummarySchema>

const changeSchema = z.strictObject({ field: z.string(), before: z.unknown(), after: z.unknown() })

const operationSchema = z.strictObject({
  summary: operationSummarySchema,
  method: z.string(),
  path: z.string(),
  origin: z.string(),
  /** JSON text as sent; null if there is no body, or for a watched record. */
  body: z.string().nullable(),
  events: z.array(operationEventSchema),
  /** Events beyond the kept ones (the first and last are kept). */
  eventsDropped: z.number().int(),
  /** The states it went through, in order, each with the event that led to it. */
  transitions: z.array(z.strictObject({ state: z.enum(operationStates), at: z.number(), event: z.number().int() })),
  /** What changed between the read before and the end: only what the command could have touched. */
  changes: z.array(changeSchema),
  /** What has changed since then, no matter who changed it. */
  since: z.array(changeSchema),
  /** Whether anything it touches can be read. */
  readable: z.boolean(),
  /** The previous command with the same request id. */
  earlier: earlierCommandSchema.nullable(),
})
export type Operation = z.infer<typeof operationSchema>

export const operationFilterSchema = z.strictObject({
  endpoint: z.string().max(300).optional(),
  state: z.enum(operationStates).optional(),
  /** Only records that still wait for an outcome. */
  unfinished: z.boolean().optional(),
  topicid: z.string().max(200).optional(),
  /** Base URL: only records of this host. */
  host: z.url().max(2000).optional(),
  /** Part of a request id, card id or record id. */
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

/** Counts over all records, whatever the filter. */
const countSchemas = {
  all: z.number().int(),
  unfinished: z.number().int(),
  unseen: z.number().int(),
}

export const operationMethods = {
  /** Checks and shows a write; sends nothing. Throws `READ_ONLY` when locked, and what `buildPath` and the row's schema throw. */
  'operations.prepare': defineQueryMethod(commandDraftSchema, preparedWriteSchema),
  /** Sends a prepared command without `confirm`; the ticket stays valid if the host executed nothing. */
  'operations.preview': defineCommandMethod(z.strictObject({ ticket: z.string().max(200) }), previewResponseSchema),
  /** Sends it, once. The record is written before the first byte leaves. Throws `TICKET_INVALID`, `TICKET_STALE`, `READ_ONLY`. */
  'operations.send': defineCommandMethod(z.strictObject({ ticket: z.string().max(200) }), operationSchema),
  'operations.list': defineQueryMethod(
    operationFilterSchema,
    z.strictObject({
      items: z.array(operationSummarySchema),
      /** Number of records that match the filter. */
      total: z.number().int(),
      /** The study sets that any record names. */
      topicids: z.array(z.string()),
      ...countSchemas,
    }),
  ),
  'operations.get': defineQueryMethod(operationIdSchema, operationSchema),
  'operations.seen': defineCommandMethod(operationIdSchema, z.strictObject({})),
  'operations.seenAll': defineCommandMethod(z.strictObject({}), z.strictObject({})),
  /** Watches a request id, including a plugin's. Looks once before it returns; throws if the host cannot be asked. */
  'operations.watch': defineCommandMethod(z.strictObject({ requestId: id }), operationSchema),
  /** Looks once, now. Throws if the host cannot be asked, `OPERATION_ELSEWHERE` and `NOTHING_TO_LOOK_AT`. */
  'operations.look': defineCommandMethod(operationIdSchema, operationSchema),
  'operations.stop': defineCommandMethod(operationIdSchema, operationSchema),
  'operations.resume': defineCommandMethod(operationIdSchema, operationSchema),
  'operations.readBack': defineCommandMethod(operationIdSchema, operationSchema),
  /** Reads back everything from before the host's last restart; `nothing` counts those that touch no readable data. */
  'operations.readBackAll': defineCommandMethod(
    z.strictObject({}),
    z.strictObject({ read: z.number().int(), failed: z.number().int(), nothing: z.number().int() }),
  ),
  /** Whether this profile may write, and for how long. */
  'operations.writing': defineQueryMethod(z.strictObject({ profileId: id }), writePermissionSchema),
  /** `session` until the app ends or the profile is left, `profile` permanently; `lock` revokes it. */
  'operations.unlock': defineCommandMethod(
    z.strictObject({ profileId: id, scope: z.enum(['session', 'profile', 'lock']) }),
    writePermissionSchema,
  ),
}

export const operationTopics = {
  'operations.writing': defineTopic(writePermissionSchema),
  /** Records that changed; at most one message per 100 ms. */
  'operations.changed': defineTopic(
    z.strictObject({
      items: z.array(operationSummarySchema).max(500),
      /** Ids of records that no longer exist. */
      removed: z.array(z.string()).max(500),
      /** False if more has changed than one message can hold, so that lists must be read again. */
      complete: z.boolean(),
      ...countSchemas,
    }),
  ),
}
