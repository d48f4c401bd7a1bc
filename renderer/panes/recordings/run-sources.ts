import type { RouteLocationRaw } from 'vue-router'
import type { RunLoad, RunSource } from '../../../shared/ipc/recordings.ts'
import type { TrafficFilter } from '../../../shared/traffic/traffic-filter.ts'
import { parseTrafficFilterQuery } from '../../model/traffic/traffic-query.ts'

/** Keys in the address: a recording, a load, all sent since the start, what a filter lists. */
export const THIS_RUN = 'this-run'
const LISTED_PREFIX = 'listed:'
export function toRecordingRunKey(id: string): string {
  return `recording:${id}`
}
export function toLoadRunKey({ caller, load }: Pick<RunLoad, 'caller' | 'load'>): string {
  return `load:${load}:${caller}`
}
/** @param filterText the filter as the query of Traffic's address */
export function toListedRunKey(filterText: string): string {
  return `${LISTED_PREFIX}${filterText}`
}
/** The filter's text of a run of listed exchanges; null for other runs. */
export function getListedFilter(run: string): string | null {
  return run.startsWith(LISTED_PREFIX) ? run.slice(LISTED_PREFIX.length) : null
}

/** @param filterText as `getListedFilter` returns it */
export function parseListedFilter(filterText: string): TrafficFilter {
  return parseTrafficFilterQuery(Object.fromEntries(new URLSearchParams(filterText)))
}

export function parseRun(text: string): RunSource | null {
  if (text === THIS_RUN) return { from: 'traffic', filter: { thisRun: true } }
  const filterText = getListedFilter(text)
  if (filterText !== null) return { from: 'traffic', filter: parseListedFilter(filterText) }
  const [, id] = /^recording:(.{1,100})$/.exec(text) ?? []
  if (id !== undefined) return { from: 'list', id }
  const [, load, caller] = /^load:([1-9]\d{0,8}):(.{1,100})$/.exec(text) ?? []
  return load === undefined || caller === undefined ? null : { from: 'traffic', filter: { caller, load: Number(load) } }
}

/** Returns the comparison's address; without `before`, a run that worked, one is proposed. */
export function toRunComparison(after: string, before?: string): RouteLocationRaw {
  return {
    path: '/recordings/compare',
    query: { after, ...(before === undefined ? {} : { before }) },
  }
}

/** The same panel's last load before it without findings, or any before it; null without. */
export function findWorkingLoad(loads: readonly RunLoad[], load: RunLoad): RunLoad | null {
  const earlier = loads.filter(
    ({ label, startedAt, caller, load: number }) =>
      (label === load.label || caller === load.caller) &&
      startedAt <= load.startedAt &&
      (caller !== load.caller || number !== load.load),
  )
  return earlier.find(({ findings }) => findings === 0) ?? earlier[0] ?? null
}
