import { computed, shallowRef, type ComputedRef, type ShallowRef } from 'vue'
import { useCurrentTime } from '../../components/current-time.ts'
import type { TrafficRow, TrafficRowKey } from '../../model/traffic/pending-row.ts'
import { useWaterfall } from '../../panes/exchange/waterfall.ts'
import { useListedRows, useTrafficList } from '../../stores/traffic-list.ts'
import type { useTrafficRouteState } from './traffic-route-state.ts'

/** Rows before and after the visible ones that are read in advance. */
const READ_AHEAD_ROWS = 60

interface TrafficRows {
  readonly list: ReturnType<typeof useTrafficList>
  readonly keys: ComputedRef<readonly TrafficRowKey[]>
  getRow(key: TrafficRowKey): TrafficRow | undefined
  setVisibleRange(first: number, last: number): void
  /** The rows that are selected together. */
  readonly selection: ShallowRef<readonly TrafficRowKey[]>
  readonly waterfall: ReturnType<typeof useWaterfall>
  readonly currentTime: ComputedRef<number>
}

/** The rows of the list: exchanges under way first, then ended ones. Visible rows are loaded. */
export function useTrafficRows({ filter, sort }: ReturnType<typeof useTrafficRouteState>): TrafficRows {
  const visibleRange = shallowRef<readonly [first: number, last: number]>([0, 30])
  const list = useTrafficList(
    () => filter.value,
    () => sort.value,
    () => visibleRange.value[0] === 0,
  )
  const clock = useCurrentTime()
  /** Changes with each new exchange too, so that the bars of exchanges under way grow. */
  const currentTime = computed(() => {
    void [clock.value, list.pending, list.version]
    return Date.now()
  })
  const { keys, getRow, visibleKeys, nearbyKeys } = useListedRows(
    list,
    () => filter.value,
    () => visibleRange.value,
    READ_AHEAD_ROWS,
  )
  const selection = shallowRef<readonly TrafficRowKey[]>([])
  const toRows = (rowKeys: readonly TrafficRowKey[]): readonly TrafficRow[] =>
    rowKeys.flatMap((key) => getRow(key) ?? [])
  const waterfall = useWaterfall({
    rows: () => toRows(nearbyKeys.value),
    visibleDurations: () => toRows(visibleKeys.value).map(({ durationMs }) => durationMs),
    selectedRows: () => toRows(selection.value),
    currentTime: () => currentTime.value,
  })
  return {
    list,
    keys,
    getRow,
    setVisibleRange: (first, last) => (visibleRange.value = [first, last]),
    selection,
    waterfall,
    currentTime,
  }
}
