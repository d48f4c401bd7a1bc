import { z } from 'zod'
import { exchangeStates, originKinds } from './exchange.ts'

/** First digit of a status; `none` for exchanges without a response. */
export const statusClasses = ['1', '2', '3', '4', '5', 'none'] as const

/** Longest text, and longest error code, that a list is filtered by. */
export const MAX_FILTER_CHARS = 400
export const MAX_ERROR_CODE_CHARS = 200

/** Which exchanges a list shows: those for which every member that is present holds. */
export const trafficFilterSchema = z.strictObject({
  /** Part of method, path or error code, whatever its letter case. */
  text: z.string().max(MAX_FILTER_CHARS).optional(),
  /** `text` may also be in a body or header. */
  inBodies: z.boolean().optional(),
  methods: z.array(z.string().max(20)).max(20).optional(),
  template: z.string().max(400).optional(),
  statuses: z.array(z.enum(statusClasses)).max(6).optional(),
  states: z.array(z.enum(exchangeStates)).max(5).optional(),
  code: z.string().max(MAX_ERROR_CODE_CHARS).optional(),
  origins: z.array(z.enum(originKinds)).max(20).optional(),
  /** `caller` and `load` of the origin. */
  caller: z.string().max(100).optional(),
  load: z.number().int().positive().optional(),
  /**
   * An id that the exchange names anywhere, bodies included: of a card, document, study set,
   * request, operation.
   */
  id: z.string().max(MAX_FILTER_CHARS).optional(),
  slowerThanMs: z.number().nonnegative().optional(),
  largerThanBytes: z.number().nonnegative().optional(),
  /** Span of `startedAt`, both inclusive. */
  from: z.number().optional(),
  to: z.number().optional(),
  /** Base URL of a host. */
  host: z.string().max(2000).optional(),
  pinned: z.boolean().optional(),
  /**
   * What goes on in the background (heartbeats, scans for hosts) is left out unless this is true or
   * `origins` names them.
   */
  heartbeats: z.boolean().optional(),
  /** Only exchanges of this run of the program. */
  thisRun: z.boolean().optional(),
})
export type TrafficFilter = z.infer<typeof trafficFilterSchema>

/** Whether a filter looks into bodies, which takes longer than anything else. */
export const isBodySearch = ({ text = '', inBodies, id = '' }: TrafficFilter): boolean =>
  id !== '' || (inBodies === true && text !== '')

/** Columns that a list can be sorted by. */
export const trafficSortColumns = ['time', 'method', 'path', 'status', 'duration', 'size', 'origin'] as const
export const trafficSortSchema = z.strictObject({ by: z.enum(trafficSortColumns), descending: z.boolean() })
export type TrafficSort = z.infer<typeof trafficSortSchema>
