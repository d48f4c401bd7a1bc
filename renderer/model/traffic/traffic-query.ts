// Pure functions for recorded exchanges: the filter in the address, phases, copies as HAR or
// command. The service process records the exchanges. Read this file first, then
// request-snippets.ts.

import type { Finding } from '../../../shared/protocol/finding.ts'
import { getFindingClass } from '../../../shared/protocol/rule-table.ts'
import { z } from 'zod'
import { exchangeStates, originKinds } from '../../../shared/traffic/exchange.ts'
import {
  formatFilterToken,
  listFilterTokens,
  splitFilterText,
  toTokenFilter,
  type FilterToken,
} from '../../../shared/traffic/filter-language.ts'
import {
  MAX_ERROR_CODE_CHARS,
  MAX_FILTER_CHARS,
  trafficFilterSchema,
  trafficSortColumns,
  type TrafficFilter,
  type TrafficSort,
} from '../../../shared/traffic/traffic-filter.ts'

/** The query of a route as the router represents it. */
export type RouteQuery = Readonly<Record<string, unknown>>

/** The newest exchange comes first. */
export const defaultTrafficSort: TrafficSort = { by: 'time', descending: true }

/** Members of the query that do not belong to the filter stay unchanged. */
export const trafficFilterQueryNames = [
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
  'last',
  'from',
  'to',
  'host',
  'pinned',
  'has',
  'not',
  'heartbeats',
  'earlier',
] as const
type FilterQueryName = (typeof trafficFilterQueryNames)[number]

const formatFlag = (isSet: boolean | undefined): string | undefined => (isSet ? '1' : undefined)
const formatNumber = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : String(value)
const formatList = (values: readonly string[] | undefined): string | undefined =>
  values === undefined || values.length === 0 ? undefined : values.join(',')
/** Every token of the query's member `not` is excluded, without its minus. */
const formatExcludedToken = (token: FilterToken): string => formatFilterToken({ ...token, isExcluded: false })
const toExcludedToken = (token: FilterToken): FilterToken => ({ ...token, isExcluded: true })
const omitEmpty = (value: string | undefined): string | undefined => (value === '' ? undefined : value)

/** Unset members are undefined. Without `earlier`, only the current run, `thisRun`, counts. */
export function toTrafficFilterQuery(filter: TrafficFilter): Record<FilterQueryName, string | undefined> {
  return {
    q: omitEmpty(filter.text),
    bodies: formatFlag(filter.inBodies),
    method: formatList(filter.methods),
    template: omitEmpty(filter.template),
    status: formatList(filter.statuses),
    state: formatList(filter.states),
    code: omitEmpty(filter.code),
    origin: formatList(filter.origins),
    caller: omitEmpty(filter.caller),
    load: formatNumber(filter.load),
    id: omitEmpty(filter.id),
    slower: formatNumber(filter.slowerThanMs),
    larger: formatNumber(filter.largerThanBytes),
    last: formatNumber(filter.lastMs),
    from: formatNumber(filter.from),
    to: formatNumber(filter.to),
    host: omitEmpty(filter.host),
    pinned: formatFlag(filter.pinned),
    has: formatFlag(filter.hasFinding),
    not: omitEmpty(
      listFilterTokens({ excluded: filter.excluded ?? [] })
        .map(formatExcludedToken)
        .join(' '),
    ),
    heartbeats: formatFlag(filter.heartbeats),
    earlier: formatFlag(filter.thisRun !== true),
  }
}

/** Ignores invalid values and cuts long texts, because users can type an address by hand. */
export function parseTrafficFilterQuery(query: RouteQuery): TrafficFilter {
  const getText = (name: FilterQueryName): string | undefined => {
    const value = query[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const getList = (name: FilterQueryName): readonly string[] | undefined => getText(name)?.split(',').filter(Boolean)
  const getKnownValues = <T extends string>(name: FilterQueryName, allowed: readonly T[]): readonly T[] | undefined => {
    const matching = allowed.filter((candidate) => getList(name)?.includes(candidate))
    return matching.length > 0 ? matching : undefined
  }
  const getFlag = (name: FilterQueryName): true | undefined => (getText(name) === '1' ? true : undefined)
  const getNumber = (name: FilterQueryName): number | undefined => {
    const value = Number(getText(name) ?? Number.NaN)
    return Number.isFinite(value) ? value : undefined
  }
  const statuses = getList('status')?.filter((status) => trafficFilterSchema.safeParse({ statuses: [status] }).success)
  const candidates: Record<keyof TrafficFilter, unknown> = {
    text: getText('q')?.slice(0, MAX_FILTER_CHARS),
    inBodies: getFlag('bodies'),
    methods: getList('method'),
    template: getText('template'),
    statuses: statuses?.length ? statuses : undefined,
    states: getKnownValues('state', exchangeStates),
    code: getText('code')?.slice(0, MAX_ERROR_CODE_CHARS),
    origins: getKnownValues('origin', originKinds),
    caller: getText('caller'),
    load: getNumber('load'),
    id: getText('id')?.slice(0, MAX_FILTER_CHARS),
    slowerThanMs: getNumber('slower'),
    largerThanBytes: getNumber('larger'),
    lastMs: getNumber('last'),
    from: getNumber('from'),
    to: getNumber('to'),
    host: getText('host'),
    pinned: getFlag('pinned'),
    hasFinding: getFlag('has'),
    seqs: undefined,
    excluded: toTokenFilter(splitFilterText(getText('not') ?? '').tokens.map(toExcludedToken)).excluded,
    heartbeats: getFlag('heartbeats'),
    thisRun: getText('earlier') === '1' ? undefined : true,
  }
  const validEntries = Object.entries(candidates).filter(
    ([name, value]) => value !== undefined && trafficFilterSchema.safeParse({ [name]: value }).success,
  )
  return trafficFilterSchema.parse(Object.fromEntries(validEntries))
}

const sortSchema = z.enum(trafficSortColumns)

/** A minus reverses: `-duration` puts the slowest first. The default order gives undefined. */
export function toSortQuery({ by, descending }: TrafficSort): string | undefined {
  return by === defaultTrafficSort.by && descending === defaultTrafficSort.descending
    ? undefined
    : `${descending ? '-' : ''}${by}`
}

export function parseSortQuery(query: RouteQuery): TrafficSort {
  const sortText = typeof query['sort'] === 'string' ? query['sort'] : ''
  const by = sortSchema.safeParse(sortText.replace(/^-/, ''))
  return by.success ? { by: by.data, descending: sortText.startsWith('-') } : defaultTrafficSort
}

/** Removes undefined members, which the router would turn into `null`. */
export function omitUndefined(query: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** Returns the address of the list filtered by an id, in all runs of the program. */
export function getExchangesWithIdPath(id: string): string {
  return `/traffic?${new URLSearchParams({ id, earlier: '1' }).toString()}`
}

/** @param exchangeId the id in responses, errors and operations */
export function getExchangePath(exchangeId: string): string {
  return `/traffic/${encodeURIComponent(exchangeId)}`
}

/** Returns the address of the list of findings with this finding selected. */
export function getFindingPath(finding: Pick<Finding, 'id' | 'rule' | 'withdrawnAt'>): string {
  const listedClass = getFindingClass(finding)
  const query = new URLSearchParams({
    ...(listedClass === 'findings' ? {} : { class: listedClass }),
    finding: finding.id,
  })
  return `/findings?${query.toString()}`
}

export function getPanelLoadFindingsPath(caller: string, load: number): string {
  return `/findings?${new URLSearchParams({ caller, load: String(load) }).toString()}`
}
