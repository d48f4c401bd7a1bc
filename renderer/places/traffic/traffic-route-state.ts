import { computed, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { MAX_FILTER_CHARS, type TrafficFilter, type TrafficSort } from '../../../shared/traffic/traffic-filter.ts'
import {
  parseTrafficFilterQuery,
  trafficFilterQueryNames,
  toTrafficFilterQuery,
  omitUndefined,
  parseSortQuery,
  toSortQuery,
  defaultTrafficSort,
} from '../../model/traffic/traffic-query.ts'
import type { SortedColumn, SortState } from '../../components/grid/columns.ts'

/** Keeps the filter, the order and the selection of the list in the route. */
export function useTrafficRouteState() {
  const route = useRoute()
  const router = useRouter()
  const filterNames: ReadonlySet<string> = new Set(trafficFilterQueryNames)
  /** The parts of the query that are not about the filter. */
  const getOtherQuery = (omittedName?: string): Record<string, string> => {
    const otherEntries = Object.entries(route.query).filter(
      ([name, value]) => !filterNames.has(name) && name !== omittedName && typeof value === 'string',
    )
    return Object.fromEntries(otherEntries.map(([name, value]) => [name, String(value)]))
  }
  const replaceQuery = (query: Record<string, string>): void => void router.replace({ params: route.params, query })

  const filter = computed<TrafficFilter>({
    get: () => parseTrafficFilterQuery(route.query),
    set: (next) => replaceQuery({ ...getOtherQuery(), ...omitUndefined(toTrafficFilterQuery(next)) }),
  })
  // Shortens texts in the address to the length that the fields and the filter accept.
  watch(
    () => ['q', 'id'].some((name) => String(route.query[name] ?? '').length > MAX_FILTER_CHARS),
    (isTooLong) =>
      isTooLong && replaceQuery({ ...getOtherQuery(), ...omitUndefined(toTrafficFilterQuery(filter.value)) }),
    { immediate: true },
  )
  /** The filter as a query string, in which saved filters are stored. */
  const filterText = computed(() => new URLSearchParams(omitUndefined(toTrafficFilterQuery(filter.value))).toString())
  /** False if only exchanges that are hidden by default are hidden. */
  const isFiltered = computed(() =>
    Object.keys(filter.value).some((name) => name !== 'thisRun' && name !== 'heartbeats' && name !== 'inBodies'),
  )
  const sort = computed(() => parseSortQuery(route.query))
  /** The order in the format of a data grid. */
  const gridSort = computed<SortState | null>({
    get: (): SortState => [{ column: sort.value.by, direction: sort.value.descending ? 'descending' : 'ascending' }],
    set(next) {
      // The third press removes the order; for time, the default, it reverses the direction.
      const { by, descending } = sort.value
      const first = next?.[0]
      const nextSort = first
        ? toTrafficSort(first)
        : by === 'time' && descending
          ? { by, descending: false }
          : defaultTrafficSort
      replaceQuery({
        ...getOtherQuery('sort'),
        ...omitUndefined(toTrafficFilterQuery(filter.value)),
        ...omitUndefined({ sort: toSortQuery(nextSort) }),
      })
    },
  })
  /** Positions of the two in the traffic store; null if there are none. */
  const comparedSeqs = computed(() => {
    const value = route.query['compare']
    const match = /^(\d+),(\d+)$/.exec(typeof value === 'string' ? value : '')
    return match ? ([Number(match[1]), Number(match[2])] as const) : null
  })

  return {
    filter,
    sort,
    gridSort,
    filterText,
    isFiltered,
    updateFilter: (part: Partial<Record<keyof TrafficFilter, unknown>>): void => {
      const next = { ...filter.value, ...part }
      filter.value = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined && value !== ''))
    },
    applyFilterText: (saved: string): void =>
      replaceQuery({ ...getOtherQuery(), ...Object.fromEntries(new URLSearchParams(saved)) }),
    clearFilter: (): void =>
      replaceQuery({
        ...getOtherQuery(),
        ...omitUndefined(toTrafficFilterQuery({ ...(filter.value.thisRun ? { thisRun: true } : {}) })),
      }),
    /** Opens an exchange by its id or its number in the store; null closes the open one. */
    selectExchange(exchange: number | string | null): void {
      // The value to which the address led belongs to the exchange that was open.
      const query = { ...route.query, at: undefined }
      const location = { params: { id: exchange === null ? '' : String(exchange) }, query }
      // Selecting several rows in turn adds one step to the history, not one per row.
      void (route.params['id'] ? router.replace(location) : router.push(location))
    },
    comparedSeqs,
    closeComparison: (): void =>
      replaceQuery({ ...getOtherQuery('compare'), ...omitUndefined(toTrafficFilterQuery(filter.value)) }),
  }
}

function toTrafficSort({ column, direction }: SortedColumn): TrafficSort {
  return parseSortQuery({ sort: `${direction === 'descending' ? '-' : ''}${column}` })
}
