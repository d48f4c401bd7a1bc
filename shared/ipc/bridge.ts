import { z } from 'zod'
import { dataChangeSchema } from '../bridge/data-change.ts'
import { hostLimitsSchema } from '../bridge/host-limits.ts'
import { defineBinaryQueryMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

/**
 * A read, named by its row in the endpoint table. The service process refuses writes and checks
 * the parameters against the row.
 */
export const readInputSchema = z.strictObject({
  endpoint: z.string().max(300),
  params: z.record(z.string().max(100), z.string().max(2000)),
  query: z.record(z.string().max(100), z.union([z.string().max(4000), z.number()])),
  /** For reads that are a POST (`POST /notes/batch-get`). */
  body: z.unknown().optional(),
  /** Maximum decoded bytes of the response; the setting if absent. */
  maxBytes: z.number().int().positive().optional(),
  /** The next page will be read as well, so it may be fetched in advance. */
  readAhead: z.boolean().optional(),
})
export type ReadInput = z.infer<typeof readInputSchema>

/** Where and when a response came from; shown next to everything that was read. */
export const responseMetaSchema = z.strictObject({
  exchangeId: z.string(),
  endpoint: z.string(),
  method: z.string(),
  /** Path with query as sent, without scheme and host. */
  path: z.string(),
  status: z.number(),
  contentType: z.string(),
  /** The response headers that may be shown. */
  headers: z.record(z.string(), z.string()),
  durationMs: z.number(),
  receivedAt: z.number(),
  /** Epoch of the connection in which the response was read. */
  epoch: z.number().int(),
  byteLength: z.number(),
  /** How often the host echoed the token, masked here by stars. Absent if it did not. */
  masked: z.number().int().positive().optional(),
})
export type ResponseMeta = z.infer<typeof responseMetaSchema>

export const bridgeMethods = {
  /**
   * The response bytes exactly as the host sent them (after content decoding); the page parses
   * them in a worker.
   */
  'bridge.read': defineBinaryQueryMethod(readInputSchema, responseMetaSchema),
  /** Limits of the connected host; the contract's if its capabilities were not read. */
  'bridge.limits': defineQueryMethod(z.strictObject({}), hostLimitsSchema),
}

export const bridgeTopics = {
  /** Changes of the host's data, certain or possible; at most one message per 100 ms. */
  'bridge.dataChanged': defineTopic(z.strictObject({ changes: z.array(dataChangeSchema).max(200) })),
}
