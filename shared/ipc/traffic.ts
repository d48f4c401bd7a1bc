import { z } from 'zod'
import { exchangeDetailSchema, exchangeRowSchema } from '../traffic/exchange.ts'
import { trafficFilterSchema, trafficSortSchema } from '../traffic/traffic-filter.ts'
import { defineBinaryQueryMethod, defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

const emptySchema = z.strictObject({})
const seq = z.number().int().positive()

/** Maximum number of rows of one `traffic.rows`. */
export const MAX_ROWS_PER_CALL = 500
/** As many rows as fit on a large screen. */
export const MAX_HEAD_ROWS = 64
/** Maximum bytes of one `traffic.body`. */
export const MAX_BODY_BYTES_PER_CALL = 8 * 1024 * 1024

/** Why exchanges are kept in memory; also the codes of the notices that say so. */
const memoryStoreReasons = [
  'TRAFFIC_NO_DATABASE',
  'TRAFFIC_NEWER',
  'TRAFFIC_UNAVAILABLE',
  'TRAFFIC_VISIT',
  'TRAFFIC_STOPPED',
] as const
export type MemoryStoreReason = (typeof memoryStoreReasons)[number]

/** The recorder's store and what it has lost. */
const trafficInfoSchema = z.strictObject({
  /** `memory`: there is no database here, and the last exchanges are kept in memory. */
  kind: z.enum(['disk', 'memory']),
  /** Why it is kept in memory; null otherwise. */
  reason: z.enum(memoryStoreReasons).nullable(),
  paused: z.boolean(),
  exchanges: z.number().int().nonnegative(),
  /** Bytes of the files, or of what is held in memory. */
  bytes: z.number().nonnegative(),
  oldestAt: z.number().nullable(),
  /** Start of this run, or of its first exchange where the clock was set back since. */
  runStartedAt: z.number(),
  /** Start of the newest exchange of this run: later than now where the clock was set back. */
  newestAt: z.number(),
  /** Bodies not kept because the recorder could not keep up or the disk was full, in this run. */
  droppedBodies: z.number().int().nonnegative(),
  /** Where an unreadable file was moved at this start. */
  setAside: z.string().nullable(),
})
export type TrafficInfo = z.infer<typeof trafficInfoSchema>

export const trafficMethods = {
  /**
   * The `seq` of every exchange that the filter lets pass, in order, as a Uint32Array in
   * little-endian bytes. `after` limits it to newer ones, for a list that is being appended to.
   * Pending exchanges are not in it.
   */
  'traffic.find': defineBinaryQueryMethod(
    z.strictObject({ filter: trafficFilterSchema, sort: trafficSortSchema, after: seq.optional() }),
    z.strictObject({
      total: z.number().int().nonnegative(),
      /** The newest `seq` in the store, whether or not it passes. */
      newest: z.number().int().nonnegative(),
      /** Some bodies could not be searched yet: more may be found. */
      incomplete: z.boolean(),
      /**
       * With `after`: some belong beside exchanges that are not newer (retries under their first
       * attempt), so read the whole list.
       */
      scattered: z.boolean(),
    }),
  ),
  /** The first rows of `traffic.find`, to show them before the whole list is known. */
  'traffic.head': defineQueryMethod(
    z.strictObject({ filter: trafficFilterSchema, sort: trafficSortSchema }),
    z.strictObject({
      rows: z.array(exchangeRowSchema).max(MAX_HEAD_ROWS),
      newest: z.number().int().nonnegative(),
      /** True if no further rows match. */
      isWhole: z.boolean(),
    }),
  ),
  /** Rows by `seq`, in the order asked for; those that have been removed are left out. */
  'traffic.rows': defineQueryMethod(
    z.strictObject({ seqs: z.array(seq).max(MAX_ROWS_PER_CALL) }),
    z.strictObject({ rows: z.array(exchangeRowSchema) }),
  ),
  /**
   * One exchange by `seq`, or by the id that responses, errors and operations carry. Throws
   * `EXCHANGE_UNKNOWN`.
   */
  'traffic.exchange': defineQueryMethod(
    z.strictObject({ seq: seq.optional(), id: z.string().max(100).optional() }),
    exchangeDetailSchema,
  ),
  /**
   * Bytes `start` to `end` (exclusive) of what is kept of a body. Throws `EXCHANGE_UNKNOWN`,
   * `BODY_NOT_KEPT`.
   */
  'traffic.body': defineBinaryQueryMethod(
    z.strictObject({
      seq,
      side: z.enum(['request', 'response']),
      start: z.number().int().nonnegative(),
      end: z.number().int().positive(),
    }),
    z.strictObject({ start: z.number(), kept: z.number() }),
  ),
  /** Counts over time, for the strip above the list: `buckets` equal spans from `from` to `to`. */
  'traffic.strip': defineQueryMethod(
    z.strictObject({
      filter: trafficFilterSchema,
      from: z.number(),
      to: z.number(),
      buckets: z.number().int().min(1).max(400),
    }),
    z.strictObject({ all: z.array(z.number().int()), failed: z.array(z.number().int()) }),
  ),
  'traffic.info': defineQueryMethod(emptySchema, trafficInfoSchema),
  /** Requests of the console are recorded even while recording is paused. */
  'traffic.pause': defineCommandMethod(z.strictObject({ paused: z.boolean() }), trafficInfoSchema),
  /** Removes all exchanges but the pinned ones. */
  'traffic.clear': defineCommandMethod(emptySchema, z.strictObject({ removed: z.number().int() })),
  /** Pinned exchanges are never removed, whatever the limits. */
  'traffic.pin': defineCommandMethod(
    z.strictObject({ seqs: z.array(seq).min(1).max(MAX_ROWS_PER_CALL), pinned: z.boolean() }),
    emptySchema,
  ),
  /**
   * Sends a request that only reads, once, and records it with the origin `console`; resolves with
   * any complete response, errors of the host included, whose bytes are then read with
   * `traffic.body`. Throws `NOT_A_READ` for anything that may write: that goes through the write
   * gate. Cancelling ends the request.
   */
  'traffic.send': defineQueryMethod(
    z.strictObject({
      method: z.string().max(20),
      /** With the query, relative to the base URL, as it will be sent. */
      path: z.string().min(1).max(8000),
      body: z.string().max(4_000_000).nullable(),
      /**
       * Additional headers.
       * @throws HEADER_REFUSED for one that belongs to the connection or contains the token
       */
      headers: z
        .array(z.tuple([z.string().max(100), z.string().max(2_000)]))
        .max(20)
        .optional(),
    }),
    z.strictObject({ seq }),
  ),
}

export const trafficTopics = {
  /** The store has changed; at most one in 100 ms. */
  'traffic.changed': defineTopic(
    z.strictObject({
      newest: z.number().int().nonnegative(),
      exchanges: z.number().int().nonnegative(),
      /** What is under way now, oldest first, as far as it is shown. */
      pending: z.array(exchangeRowSchema.omit({ seq: true })).max(100),
      /**
       * Something other than new exchanges changed (removed, cleared, pinned, paused), so lists
       * must be read again.
       */
      reread: z.boolean(),
    }),
  ),
}
