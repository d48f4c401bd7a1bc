import { z } from 'zod'
import {
  operationSchema,
  operationSummarySchema,
  type Operation,
  type OperationSummary,
} from '../operations/operation.ts'
import { operationStates } from '../operations/operation-events.ts'
import { commandDraftSchema, preparedWriteSchema, previewResponseSchema } from '../operations/prepared-write.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'
import { createHostMatcher } from '../bridge/host-matcher.ts'
import { foldText } from '../format/text-folding.ts'

export type { Operation, OperationSummary }

export type OperationFilter = Omit<z.infer<typeof operationFilterSchema>, 'offset' | 'limit'>

/** The parts of a record that the filter looks at. */
export type FilterableOperation = Pick<
  OperationSummary,
  'id' | 'endpoint' | 'state' | 'tracking' | 'topicid' | 'requestId' | 'noteid' | 'host'
>

/** True for an operation on its way or tracked, whose outcome is still expected. */
export function isUnfinished({ state, tracking }: Pick<OperationSummary, 'state' | 'tracking'>): boolean {
  return state === 'sent' || state === 'prepared' || isWatched({ tracking })
}

/** True if this program still looks for the outcome, or will once the host is there again. */
export function isWatched({ tracking }: Pick<OperationSummary, 'tracking'>): boolean {
  return tracking === 'polling' || tracking === 'paused-offline'
}

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

export const operationFilterSchema = z.strictObject({
  endpoint: z.string().max(300).optional(),
  state: z.enum(operationStates).optional(),
  /** Matches only records that still wait for an outcome. */
  unfinished: z.boolean().optional(),
  topicid: z.string().max(200).optional(),
  host: z.url().max(2000).optional(),
  /** A part of a request id, card id or record id. */
  text: z.string().max(200).optional(),
  offset: z.number().int().nonnegative(),
  limit: z.number().int().min(1).max(1000),
})

/** Writes are allowed never, until the app ends, or permanently. */
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
  /** Sends nothing. @throws READ_ONLY when locked, errors of `buildPath` and of the schema */
  'operations.prepare': defineQueryMethod(commandDraftSchema, preparedWriteSchema),
  /** Sends without `confirm`; the ticket stays valid if the host executed nothing. */
  'operations.preview': defineCommandMethod(z.strictObject({ ticket: z.string().max(200) }), previewResponseSchema),
  /** Sends once, after recording it. @throws TICKET_INVALID, TICKET_STALE, READ_ONLY */
  'operations.send': defineCommandMethod(z.strictObject({ ticket: z.string().max(200) }), operationSchema),
  'operations.list': defineQueryMethod(
    operationFilterSchema,
    z.strictObject({
      items: z.array(operationSummarySchema),
      total: z.number().int(),
      /** Study sets that any record names. */
      topicids: z.array(z.string()),
      ...countSchemas,
    }),
  ),
  'operations.get': defineQueryMethod(operationIdSchema, operationSchema),
  'operations.seen': defineCommandMethod(operationIdSchema, z.strictObject({})),
  'operations.seenAll': defineCommandMethod(z.strictObject({}), z.strictObject({})),
  /** Watches a request id, even a plugin's. Polls once first; rejects without the host. */
  'operations.watch': defineCommandMethod(z.strictObject({ requestId: id }), operationSchema),
  /** Polls once. @throws OPERATION_ELSEWHERE, NOTHING_TO_LOOK_AT, or if the host is unreachable */
  'operations.look': defineCommandMethod(operationIdSchema, operationSchema),
  'operations.stop': defineCommandMethod(operationIdSchema, operationSchema),
  'operations.resume': defineCommandMethod(operationIdSchema, operationSchema),
  'operations.readBack': defineCommandMethod(operationIdSchema, operationSchema),
  /** Reads back those before the restart; `nothing` counts those without readable data. */
  'operations.readBackAll': defineCommandMethod(
    z.strictObject({}),
    z.strictObject({ read: z.number().int(), failed: z.number().int(), nothing: z.number().int() }),
  ),
  'operations.writing': defineQueryMethod(z.strictObject({ profileId: id }), writePermissionSchema),
  /** `session` lasts until the app or profile is left, `profile` for good; `lock` revokes it. */
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
      /** False if there were more changes, so that lists must be read again. */
      complete: z.boolean(),
      ...countSchemas,
    }),
  ),
}
