import { z } from 'zod'
import { dataChangeSchema } from '../bridge/data-change.ts'
import { hostLimitsSchema } from '../bridge/host-limits.ts'
import { defineBinaryQueryMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

/** The service process refuses writes and checks the parameters against the endpoint. */
export const readInputSchema = z.strictObject({
  endpoint: z.string().max(300),
  params: z.record(z.string().max(100), z.string().max(2000)),
  query: z.record(z.string().max(100), z.union([z.string().max(4000), z.number()])),
  /** Only reads that are a POST (`POST /notes/batch-get`) have a body. */
  body: z.unknown().optional(),
  /** The response is refused beyond this many decoded bytes; if absent, the setting applies. */
  maxBytes: z.number().int().positive().optional(),
  /**
   * The caller will read the next page as well, so it may be fetched in advance. A `limit` outside
   * what the host allows is replaced by the nearest one that it allows.
   */
  readAhead: z.boolean().optional(),
})
export type ReadInput = z.infer<typeof readInputSchema>

/** Facts about a response that are shown next to all values read from it. */
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
  /** The connection's epoch in which the response was read. */
  epoch: z.number().int(),
  byteLength: z.number(),
  /** How often the token was masked in the response because the host echoed it; absent if never. */
  masked: z.number().int().positive().optional(),
})
export type ResponseMeta = z.infer<typeof responseMetaSchema>

export const bridgeMethods = {
  /** Bytes as sent (after content decoding); the page parses them in a worker. */
  'bridge.read': defineBinaryQueryMethod(readInputSchema, responseMetaSchema),
  /** Returns the contract's limits if the capabilities were not read. */
  'bridge.limits': defineQueryMethod(z.strictObject({}), hostLimitsSchema),
}

export const bridgeTopics = {
  /** Changes are certain or possible. At most one message is sent per 100 ms. */
  'bridge.dataChanged': defineTopic(z.strictObject({ changes: z.array(dataChangeSchema).max(200) })),
}
