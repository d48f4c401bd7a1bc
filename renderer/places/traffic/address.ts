import { computed, watch, type ComputedRef, type WritableComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { MAX_FILTER_CHARS, type TrafficFilter, type TrafficSort } from '../../../shared/traffic/filter.ts'
import {
  filterFrom,
  filterNames,
  filterQuery,
  said,
  sortFrom,
  sortQuery,
  usualSort,
} from '../../model/traffic/address.ts'
import type { SortedColumn, SortState } from '../../components/grid/columns.ts'

interface TrafficAddress {
  readonly filter: WritableComputedRef<TrafficFilter>
  readonly sort: ComputedRef<TrafficSort>
  /** The same for a grid. */
  readonly gridSort: WritableComputedRef<SortState | null>
  /** The filter as text: what a saved filter keeps. */
  readonly text: ComputedRef<string>
  /** The filter leaves something out that is not left out anyway. */
  readonly filtered: ComputedRef<boolean>
  change(part: Partial<Record<keyof TrafficFilter, unknown>>): void
  apply(text: string): void
  clear(): void
  /** `which`: place in the store, or id; null closes what is open. */
  select(which: number | string | null): void
  /** The two that are compared, by their places in the store; null if none are. */
  readonly compared: ComputedRef<readonly [before: number, after: number] | null>
  closeComparison(): void
}

/** Filter, order and selection of the list, which are all in its address. */
export function useTrafficAddress(): TrafficAddress {
  const route = useRoute()
  const router = useRouter()
  const names: ReadonlySet<string> = new Set(filterNames)
  /** What else the address says. */
  const others = (without?: string): Record<string, string> => {
    const kept = Object.entries(route.query).filter(
      ([name, value]) => !names.has(name) && name !== without && typeof value === 'string',
    )
    return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
  }
  const put = (query: Record<string, string>): void => void router.replace({ params: route.params, query })

  const filter = computed<TrafficFilter>({
    get: () => filterFrom(route.query),
    set: (next) => put({ ...others(), ...said(filterQuery(next)) }),
  })
  // What is listed, what the field holds and what the address says are the same.
  watch(
    () => ['q', 'id'].some((name) => String(route.query[name] ?? '').length > MAX_FILTER_CHARS),
    (isTooLong) => isTooLong && put({ ...others(), ...said(filterQuery(filter.value)) }),
    { immediate: true },
  )
  const text = computed(() => new URLSearchParams(said(filterQuery(filter.value))).toString())
  const filtered = computed(() =>
    Object.keys(filter.value).some((name) => name !== 'thisRun' && name !== 'heartbeats' && name !== 'inBodies'),
  )
  const sort = computed(() => sortFrom(route.query))
  const gridSort = computed<SortState | null>({
    get: (): SortState => [{ column: sort.value.by, direction: sort.value.descending ? 'descending' : 'ascending' }],
    set(next) {
      // The third press of a header takes the order away; for the time that would change nothing, so it turns round.
      const { by, descending } = sort.value
      const first = next?.[0]
      const found = first ? sortOf(first) : by === 'time' && descending ? { by, descending: false } : usualSort
      put({ ...others('sort'), ...said(filterQuery(filter.value)), ...said({ sort: sortQuery(found) }) })
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
    text,
    filtered,
    change: (part) => {
      const next = { ...filter.value, ...part }
      filter.value = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined && value !== ''))
    },
    apply: (saved) => put({ ...others(), ...Object.fromEntries(new URLSearchParams(saved)) }),
    clear: () => put({ ...others(), ...said(filterQuery({ ...(filter.value.thisRun ? { thisRun: true } : {}) })) }),
    select(which) {
      const to = { params: { id: which === null ? '' : String(which) }, query: route.query }
      // Going through the list is one step back, not as many as there were rows.
      void (route.params['id'] ? router.replace(to) : router.push(to))
    },
    compared,
    closeComparison: () => put({ ...others('compare'), ...said(filterQuery(filter.value)) }),
  }
}

function sortOf({ column, direction }: SortedColumn): TrafficSort {
  return sortFrom({ sort: `${direction === 'descending' ? '-' : ''}${column}` })
}
