import { z } from 'zod'
import { dataChangeSchema } from '../bridge/data-change.ts'
import { hostLimitsSchema } from '../bridge/host-limits.ts'
import { defineBinaryQueryMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

/**
 * A read is named by its row in the endpoint table. The service process refuses writes and checks
 * the parameters against the row.
 */
export const readInputSchema = z.strictObject({
  endpoint: z.string().max(300),
  params: z.record(z.string().max(100), z.string().max(2000)),
  query: z.record(z.string().max(100), z.union([z.string().max(4000), z.number()])),
  /** Only reads that are a POST (`POST /notes/batch-get`) have a body. */
  body: z.unknown().optional(),
  /** The response is refused beyond this many decoded bytes; if absent, the setting applies. */
  maxBytes: z.number().int().positive().optional(),
  /** The caller will read the next page as well, so it may be fetched in advance. */
  readAhead: z.boolean().optional(),
})
export type ReadInput = z.infer<typeof readInputSchema>

/** These facts about a response are shown next to everything that was read from it. */
export const responseMetaSchema = z.strictObject({
  exchangeId: z.string(),
  endpoint: z.string(),
  method: z.string(),
  /** The path includes the query as sent, but neither scheme nor host. */
  path: z.string(),
  status: z.number(),
  contentType: z.string(),
  /** Only response headers that may be shown are included. */
  headers: z.record(z.string(), z.string()),
  durationMs: z.number(),
  receivedAt: z.number(),
  /** The response was read in this epoch of the connection. */
  epoch: z.number().int(),
  byteLength: z.number(),
  /**
   * The host echoed the token this many times; each is masked by asterisks. Absent if it did not.
   */
  masked: z.number().int().positive().optional(),
})
export type ResponseMeta = z.infer<typeof responseMetaSchema>

export const bridgeMethods = {
  /**
   * Returns the response bytes exactly as the host sent them (after content decoding); the page
   * parses them in a worker.
   */
  'bridge.read': defineBinaryQueryMethod(readInputSchema, responseMetaSchema),
  /**
   * Returns the limits of the connected host, or the contract's if its capabilities were not read.
   */
  'bridge.limits': defineQueryMethod(z.strictObject({}), hostLimitsSchema),
}

export const bridgeTopics = {
  /** Reports certain or possible changes of the host's data in at most one message per 100 ms. */
  'bridge.dataChanged': defineTopic(z.strictObject({ changes: z.array(dataChangeSchema).max(200) })),
}
