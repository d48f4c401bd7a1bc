import { z } from 'zod'
import { exchangeStates, originKinds } from './exchange.ts'

/** The first digit of a status; `none` stands for exchanges without a response. */
export const statusClasses = ['1', '2', '3', '4', '5', 'none'] as const

export const MAX_FILTER_CHARS = 400
export const MAX_EXCLUSIONS = 20
export const MAX_ERROR_CODE_CHARS = 200

const filterPartSchema = z.strictObject({
  /** Occurs in the method, path or error code, whatever its letter case. */
  text: z.string().max(MAX_FILTER_CHARS).optional(),
  /** `text` may also occur in a body or header. */
  inBodies: z.boolean().optional(),
  methods: z.array(z.string().max(20)).max(20).optional(),
  template: z.string().max(400).optional(),
  statuses: z
    .array(z.union([z.enum(statusClasses), z.string().regex(/^[1-5]\d\d$/)]))
    .max(20)
    .optional(),
  states: z.array(z.enum(exchangeStates)).max(5).optional(),
  code: z.string().max(MAX_ERROR_CODE_CHARS).optional(),
  origins: z.array(z.enum(originKinds)).max(20).optional(),
  /** Like `caller` and `load` of the origin. */
  caller: z.string().max(100).optional(),
  load: z.number().int().positive().optional(),
  /** Id of any object or operation, anywhere in the exchange, also in its bodies. */
  id: z.string().max(MAX_FILTER_CHARS).optional(),
  slowerThanMs: z.number().nonnegative().optional(),
  largerThanBytes: z.number().nonnegative().optional(),
  /** Began in this time before now, or before the end of a recording (`resolveRecentFilter`). */
  lastMs: z.number().int().positive().optional(),
  /** Both ends of this span of `startedAt` are inclusive. */
  from: z.number().optional(),
  to: z.number().optional(),
  /** Base URL of a host. */
  host: z.string().max(2000).optional(),
  pinned: z.boolean().optional(),
  /** Only exchanges that show a finding match. */
  hasFinding: z.boolean().optional(),
  /** The service sets it in place of `hasFinding`. */
  seqs: z.array(z.number().int().positive()).optional(),
  /** Background requests are included if true, or if `origins` names them. */
  heartbeats: z.boolean().optional(),
  /** Only exchanges of the current run of the program match. */
  thisRun: z.boolean().optional(),
})

/** An exchange is listed if every member that is present matches it, and no excluded part does. */
export const trafficFilterSchema = filterPartSchema.extend({
  excluded: z.array(filterPartSchema).max(MAX_EXCLUSIONS).optional(),
})
export type TrafficFilter = z.infer<typeof trafficFilterSchema>

/** @param now epoch milliseconds from which `lastMs` is counted */
export function resolveRecentFilter(filter: TrafficFilter, now: number): TrafficFilter {
  const resolve = <Part extends TrafficFilter>({ lastMs, ...part }: Part): Omit<Part, 'lastMs'> =>
    lastMs === undefined ? part : { ...part, from: Math.max(part.from ?? 0, now - lastMs) }
  return { ...resolve(filter), ...(filter.excluded ? { excluded: filter.excluded.map(resolve) } : {}) }
}

/** Returns the shortest time after which exchanges leave or enter the filter; null without one. */
export function getRecentMs({ lastMs, excluded = [] }: TrafficFilter): number | null {
  const times = [lastMs, ...excluded.map((part) => part.lastMs)].filter((time) => time !== undefined)
  return times.length === 0 ? null : Math.min(...times)
}

/** Such a search takes much longer than any other filter. */
export function isBodySearch({ text = '', inBodies, id = '', excluded = [] }: TrafficFilter): boolean {
  return id !== '' || (inBodies === true && text !== '') || excluded.some(isBodySearch)
}

export const trafficSortColumns = ['time', 'method', 'path', 'status', 'duration', 'size', 'origin'] as const
export const trafficSortSchema = z.strictObject({ by: z.enum(trafficSortColumns), descending: z.boolean() })
export type TrafficSort = z.infer<typeof trafficSortSchema>
