import { z } from 'zod'
import { exchangeStates, originKinds } from '../../../shared/traffic/exchange.ts'
import {
  MAX_ERROR_CODE_CHARS,
  MAX_FILTER_CHARS,
  statusClasses,
  trafficFilterSchema,
  trafficSortColumns,
  type TrafficFilter,
  type TrafficSort,
} from '../../../shared/traffic/traffic-filter.ts'

/** The query of an address, as the router holds it. */
export type RouteQuery = Readonly<Record<string, unknown>>

/** Newest first. */
export const defaultSort: TrafficSort = { by: 'time', descending: true }

/** Members of the query that belong to the filter; all others are left alone. */
export const filterQueryNames = [
  'q',
  'bodies',
  'method',
  'template',
  'status',
  'state',
  'code',
  'origin',
  'caller',
  'load',
  'id',
  'slower',
  'larger',
  'from',
  'to',
  'host',
  'pinned',
  'heartbeats',
  'earlier',
] as const
type FilterQueryName = (typeof filterQueryNames)[number]

const flag = (on: boolean | undefined): string | undefined => (on ? '1' : undefined)
const number = (value: number | undefined): string | undefined => (value === undefined ? undefined : String(value))
const list = (values: readonly string[] | undefined): string | undefined =>
  values === undefined || values.length === 0 ? undefined : values.join(',')
const text = (value: string | undefined): string | undefined => (value === '' ? undefined : value)

/**
 * A filter as the query of an address; members that are not set are undefined. Earlier runs of the program are left out unless `earlier`
 * says otherwise, so `thisRun` is what an address without it means.
 */
export function toFilterQuery(filter: TrafficFilter): Record<FilterQueryName, string | undefined> {
  return {
    q: text(filter.text),
    bodies: flag(filter.inBodies),
    method: list(filter.methods),
    template: text(filter.template),
    status: list(filter.statuses),
    state: list(filter.states),
    code: text(filter.code),
    origin: list(filter.origins),
    caller: text(filter.caller),
    load: number(filter.load),
    id: text(filter.id),
    slower: number(filter.slowerThanMs),
    larger: number(filter.largerThanBytes),
    from: number(filter.from),
    to: number(filter.to),
    host: text(filter.host),
    pinned: flag(filter.pinned),
    heartbeats: flag(filter.heartbeats),
    earlier: flag(filter.thisRun !== true),
  }
}

/**
 * The filter that an address asks for. What no filter could hold is left out, and of a text that is too long only the beginning counts: an
 * address may be typed by hand.
 */
export function parseFilterQuery(query: RouteQuery): TrafficFilter {
  const said = (name: FilterQueryName): string | undefined => {
    const value = query[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const many = (name: FilterQueryName): readonly string[] | undefined => said(name)?.split(',').filter(Boolean)
  const known = <T extends string>(name: FilterQueryName, all: readonly T[]): readonly T[] | undefined => {
    const found = all.filter((one) => many(name)?.includes(one))
    return found.length > 0 ? found : undefined
  }
  const on = (name: FilterQueryName): true | undefined => (said(name) === '1' ? true : undefined)
  const count = (name: FilterQueryName): number | undefined => {
    const value = Number(said(name) ?? Number.NaN)
    return Number.isFinite(value) ? value : undefined
  }
  const wanted: Record<keyof TrafficFilter, unknown> = {
    text: said('q')?.slice(0, MAX_FILTER_CHARS),
    inBodies: on('bodies'),
    methods: many('method'),
    template: said('template'),
    statuses: known('status', statusClasses),
    states: known('state', exchangeStates),
    code: said('code')?.slice(0, MAX_ERROR_CODE_CHARS),
    origins: known('origin', originKinds),
    caller: said('caller'),
    load: count('load'),
    id: said('id')?.slice(0, MAX_FILTER_CHARS),
    slowerThanMs: count('slower'),
    largerThanBytes: count('larger'),
    from: count('from'),
    to: count('to'),
    host: said('host'),
    pinned: on('pinned'),
    heartbeats: on('heartbeats'),
    thisRun: said('earlier') === '1' ? undefined : true,
  }
  const fits = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && trafficFilterSchema.safeParse({ [name]: value }).success,
  )
  return trafficFilterSchema.parse(Object.fromEntries(fits))
}

const sortSchema = z.enum(trafficSortColumns)

/** `-duration`: the slowest first. Undefined for the usual order. */
export const toSortQuery = ({ by, descending }: TrafficSort): string | undefined =>
  by === defaultSort.by && descending === defaultSort.descending ? undefined : `${descending ? '-' : ''}${by}`

/** The order that an address asks for; the usual one if it asks for none. */
export function parseSortQuery(query: RouteQuery): TrafficSort {
  const said = typeof query['sort'] === 'string' ? query['sort'] : ''
  const by = sortSchema.safeParse(said.replace(/^-/, ''))
  return by.success ? { by: by.data, descending: said.startsWith('-') } : defaultSort
}

/** The members of a query that are said, for an address; undefined ones must not become `null`. */
export const omitUndefined = (query: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined))

/** The address of the exchanges that name an id, of whichever run of the program. */
export const getIdExchangesPath = (id: string): string =>
  `/traffic?${new URLSearchParams({ id, earlier: '1' }).toString()}`

/** The address of one exchange, by the id that answers, errors and operations carry. */
export const getExchangePath = (exchangeId: string): string => `/traffic/${encodeURIComponent(exchangeId)}`

/** Address of one finding in the list of findings. */
export const getFindingPath = (id: string): string => `/findings?${new URLSearchParams({ finding: id }).toString()}`

/** Address of what one load of a panel did wrong. */
export const getLoadFindingsPath = (caller: string, load: number): string =>
  `/findings?${new URLSearchParams({ caller, load: String(load) }).toString()}`
