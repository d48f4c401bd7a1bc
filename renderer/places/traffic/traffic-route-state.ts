import { computed, watch, type ComputedRef, type WritableComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { MAX_FILTER_CHARS, type TrafficFilter, type TrafficSort } from '../../../shared/traffic/traffic-filter.ts'
import {
  parseFilterQuery,
  filterQueryNames,
  toFilterQuery,
  omitUndefined,
  parseSortQuery,
  toSortQuery,
  defaultSort,
} from '../../model/traffic/traffic-query.ts'
import type { SortedColumn, SortState } from '../../components/grid/columns.ts'

interface TrafficRouteState {
  readonly filter: WritableComputedRef<TrafficFilter>
  readonly sort: ComputedRef<TrafficSort>
  /** The same for a grid. */
  readonly gridSort: WritableComputedRef<SortState | null>
  /** The filter as text: what a saved filter keeps. */
  readonly filterText: ComputedRef<string>
  /** The filter leaves something out that is not left out anyway. */
  readonly isFiltered: ComputedRef<boolean>
  updateFilter(part: Partial<Record<keyof TrafficFilter, unknown>>): void
  applyFilterText(text: string): void
  clearFilter(): void
  /** `which`: place in the store, or id; null closes what is open. */
  selectExchange(which: number | string | null): void
  /** The two that are compared, by their places in the store; null if none are. */
  readonly comparedSeqs: ComputedRef<readonly [before: number, after: number] | null>
  closeComparison(): void
}

/** Filter, order and selection of the list, which are all in its address. */
export function useTrafficRouteState(): TrafficRouteState {
  const route = useRoute()
  const router = useRouter()
  const names: ReadonlySet<string> = new Set(filterQueryNames)
  /** What else the address says. */
  const others = (without?: string): Record<string, string> => {
    const kept = Object.entries(route.query).filter(
      ([name, value]) => !names.has(name) && name !== without && typeof value === 'string',
    )
    return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
  }
  const put = (query: Record<string, string>): void => void router.replace({ params: route.params, query })

  const filter = computed<TrafficFilter>({
    get: () => parseFilterQuery(route.query),
    set: (next) => put({ ...others(), ...omitUndefined(toFilterQuery(next)) }),
  })
  // What is listed, what the field holds and what the address says are the same.
  watch(
    () => ['q', 'id'].some((name) => String(route.query[name] ?? '').length > MAX_FILTER_CHARS),
    (isTooLong) => isTooLong && put({ ...others(), ...omitUndefined(toFilterQuery(filter.value)) }),
    { immediate: true },
  )
  const text = computed(() => new URLSearchParams(omitUndefined(toFilterQuery(filter.value))).toString())
  const filtered = computed(() =>
    Object.keys(filter.value).some((name) => name !== 'thisRun' && name !== 'heartbeats' && name !== 'inBodies'),
  )
  const sort = computed(() => parseSortQuery(route.query))
  const gridSort = computed<SortState | null>({
    get: (): SortState => [{ column: sort.value.by, direction: sort.value.descending ? 'descending' : 'ascending' }],
    set(next) {
      // The third press of a header takes the order away; for the time that would change nothing,
      // so it turns round.
      const { by, descending } = sort.value
      const first = next?.[0]
      const found = first ? sortOf(first) : by === 'time' && descending ? { by, descending: false } : defaultSort
      put({
        ...others('sort'),
        ...omitUndefined(toFilterQuery(filter.value)),
        ...omitUndefined({ sort: toSortQuery(found) }),
      })
    },
  })
  const compared = computed(() => {
    const value = route.query['compare']
    const found = /^(\d+),(\d+)$/.exec(typeof value === 'string' ? value : '')
    return found ? ([Number(found[1]), Number(found[2])] as const) : null
  })

  return {
    filter,
    sort,
    gridSort,
    filterText: text,
    isFiltered: filtered,
    updateFilter: (part) => {
      const next = { ...filter.value, ...part }
      filter.value = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined && value !== ''))
    },
    applyFilterText: (saved) => put({ ...others(), ...Object.fromEntries(new URLSearchParams(saved)) }),
    clearFilter: () =>
      put({ ...others(), ...omitUndefined(toFilterQuery({ ...(filter.value.thisRun ? { thisRun: true } : {}) })) }),
    selectExchange(which) {
      const to = { params: { id: which === null ? '' : String(which) }, query: route.query }
      // Going through the list is one step back, not as many as there were rows.
      void (route.params['id'] ? router.replace(to) : router.push(to))
    },
    comparedSeqs: compared,
    closeComparison: () => put({ ...others('compare'), ...omitUndefined(toFilterQuery(filter.value)) }),
  }
}

function sortOf({ column, direction }: SortedColumn): TrafficSort {
  return parseSortQuery({ sort: `${direction === 'descending' ? '-' : ''}${column}` })
}
