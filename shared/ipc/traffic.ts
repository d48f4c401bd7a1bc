import { z } from 'zod'
import { routeCoverageSchema } from '../panel/coverage.ts'
import { exchangeDetailSchema, exchangeRowSchema } from '../traffic/exchange.ts'
import { trafficFilterSchema, trafficSortSchema } from '../traffic/traffic-filter.ts'
import { defineBinaryQueryMethod, defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

const emptySchema = z.strictObject({})
const seq = z.number().int().positive()

export const MAX_ROWS_PER_CALL = 500
/** As many rows as fit on a large screen. */
export const MAX_HEAD_ROWS = 64
/** Lists up to this length are known with one call. */
export const MAX_HEAD_SEQS = 8_000
export const MAX_BODY_BYTES_PER_CALL = 8 * 1024 * 1024

/** Reasons why exchanges are kept in memory, which are also codes of notices. */
const memoryStoreReasons = [
  'TRAFFIC_NO_DATABASE',
  'TRAFFIC_NEWER',
  'TRAFFIC_UNAVAILABLE',
  'TRAFFIC_VISIT',
  'TRAFFIC_STOPPED',
] as const
export type MemoryStoreReason = (typeof memoryStoreReasons)[number]

const trafficInfoSchema = z.strictObject({
  /** With `memory` there is no database, and only the last exchanges are kept. */
  kind: z.enum(['disk', 'memory']),
  /** Null if the exchanges are on disk. */
  reason: z.enum(memoryStoreReasons).nullable(),
  paused: z.boolean(),
  exchanges: z.number().int().nonnegative(),
  /** Size of the files, or of the exchanges in memory. */
  bytes: z.number().nonnegative(),
  oldestAt: z.number().nullable(),
  /** Start of this run, or its first exchange if the clock was set back since. */
  runStartedAt: z.number(),
  /** Start of this run's newest exchange; in the future if the clock was set back. */
  newestAt: z.number(),
  /** Bodies of this run: the recorder could not keep up, or the disk was full. */
  droppedBodies: z.number().int().nonnegative(),
  /** Path to which an unreadable file was moved when the program started; null if none was. */
  setAside: z.string().nullable(),
})
export type TrafficInfo = z.infer<typeof trafficInfoSchema>

export const trafficMethods = {
  /**
   * Returns the `seq` of every exchange that matches the filter, in order, as a Uint32Array in
   * little-endian bytes. `after` limits it to newer ones, for a list that is appended to. Pending
   * exchanges are not included.
   */
  'traffic.find': defineBinaryQueryMethod(
    z.strictObject({ filter: trafficFilterSchema, sort: trafficSortSchema, after: seq.optional() }),
    z.strictObject({
      total: z.number().int().nonnegative(),
      /** The newest `seq` in the store, even if that exchange does not match. */
      newest: z.number().int().nonnegative(),
      /** Some bodies could not be searched yet, so more exchanges may match. */
      incomplete: z.boolean(),
      /** True if some belong beside older ones (retries), so that the list must be read again. */
      scattered: z.boolean(),
    }),
  ),
  /** Shown before the whole list is known: up to `limit` rows, MAX_HEAD_ROWS by default. */
  'traffic.head': defineQueryMethod(
    z.strictObject({
      filter: trafficFilterSchema,
      sort: trafficSortSchema,
      limit: z.number().int().min(MAX_HEAD_ROWS).max(MAX_HEAD_SEQS).optional(),
    }),
    z.strictObject({
      rows: z.array(exchangeRowSchema).max(MAX_HEAD_ROWS),
      /** The listed matches, if they are more than `rows`. */
      seqs: z.array(seq).max(MAX_HEAD_SEQS).optional(),
      newest: z.number().int().nonnegative(),
      /** True if there are no further matches. */
      isWhole: z.boolean(),
    }),
  ),
  /** In the requested order; removed exchanges are left out. */
  'traffic.rows': defineQueryMethod(
    z.strictObject({ seqs: z.array(seq).max(MAX_ROWS_PER_CALL) }),
    z.strictObject({ rows: z.array(exchangeRowSchema) }),
  ),
  /** Finds one by `seq`, or by the id that responses and errors name. @throws EXCHANGE_UNKNOWN */
  'traffic.exchange': defineQueryMethod(
    z.strictObject({ seq: seq.optional(), id: z.string().max(100).optional() }),
    exchangeDetailSchema,
  ),
  /** Bytes `start` to `end` (exclusive) stored. @throws EXCHANGE_UNKNOWN, BODY_NOT_KEPT */
  'traffic.body': defineBinaryQueryMethod(
    z.strictObject({
      seq,
      side: z.enum(['request', 'response']),
      start: z.number().int().nonnegative(),
      end: z.number().int().positive(),
    }),
    z.strictObject({ start: z.number(), kept: z.number() }),
  ),
  /** Counts exchanges for the strip above the list, in equal spans from `from` to `to`. */
  'traffic.strip': defineQueryMethod(
    z.strictObject({
      filter: trafficFilterSchema,
      from: z.number(),
      to: z.number(),
      buckets: z.number().int().min(1).max(400),
    }),
    z.strictObject({ all: z.array(z.number().int()), failed: z.array(z.number().int()) }),
  ),
  /** Counts by client and route, in parts after `after`, so that it shows and can be cancelled. */
  'traffic.coverage': defineQueryMethod(
    z.strictObject({ after: z.number().int().nonnegative() }),
    z.strictObject({
      routes: z.array(routeCoverageSchema),
      counted: z.number().int().nonnegative(),
      /** The last exchange of this part; the next part is after it. */
      lastSeq: z.number().int().nonnegative(),
      /** True if no further exchanges are stored. */
      isWhole: z.boolean(),
    }),
  ),
  'traffic.info': defineQueryMethod(emptySchema, trafficInfoSchema),
  /** Requests of the console are recorded even while recording is paused. */
  'traffic.pause': defineCommandMethod(z.strictObject({ paused: z.boolean() }), trafficInfoSchema),
  /** Pinned exchanges stay. */
  'traffic.clear': defineCommandMethod(emptySchema, z.strictObject({ removed: z.number().int() })),
  /** Pinned exchanges are never removed, whatever the limits. */
  'traffic.pin': defineCommandMethod(
    z.strictObject({ seqs: z.array(seq).min(1).max(MAX_ROWS_PER_CALL), pinned: z.boolean() }),
    emptySchema,
  ),
  /**
   * Sends a read once and records it with the origin `console`. Resolves with any complete
   * response, even if it is an error of the host; the bytes are then read with `traffic.body`.
   * Cancelling ends the request.
   * @throws NOT_A_READ for a request that may write, because writes are only sent by
   *   `operations.send`
   */
  'traffic.send': defineQueryMethod(
    z.strictObject({
      method: z.string().max(20),
      /** The path includes the query, is relative to the base URL, and is sent unchanged. */
      path: z.string().min(1).max(8000),
      body: z.string().max(4_000_000).nullable(),
      /** @throws HEADER_REFUSED for a connection's header, or one that contains the token */
      headers: z
        .array(z.tuple([z.string().max(100), z.string().max(2_000)]))
        .max(20)
        .optional(),
    }),
    z.strictObject({ seq }),
  ),
}

export const trafficTopics = {
  /** At most one message is sent per 100 ms. */
  'traffic.changed': defineTopic(
    z.strictObject({
      newest: z.number().int().nonnegative(),
      exchanges: z.number().int().nonnegative(),
      /** Exchanges under way, oldest first; lists show no more than the first 100. */
      pending: z.array(exchangeRowSchema.omit({ seq: true })).max(100),
      /** Exchanges were removed, cleared, pinned or paused: lists must be read again. */
      reread: z.boolean(),
    }),
  ),
}
