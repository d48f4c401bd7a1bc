import { computed, shallowRef, type ComputedRef, type ShallowRef } from 'vue'
import { useCurrentTime } from '../../components/current-time.ts'
import { isPendingRowIncluded, type PendingRow } from '../../model/traffic/pending-row.ts'
import { useWaterfall } from '../../panes/exchange/waterfall.ts'
import { useTraffic } from '../../stores/traffic.ts'
import { useKeysInSight, useTrafficList } from '../../stores/traffic-list.ts'
import type { TrafficRowKey, TrafficRow } from './traffic-columns.ts'
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

/**
 * The rows of the list: exchanges under way first, then ended ones. Visible rows are loaded.
 */
export function useTrafficRows({ filter, sort }: ReturnType<typeof useTrafficRouteState>): TrafficRows {
  const traffic = useTraffic()
  const visibleRange = shallowRef<readonly [first: number, last: number]>([0, 30])
  const list = useTrafficList(
    () => filter.value,
    () => sort.value,
    () => visibleRange.value[0] === 0,
  )
  const clock = useCurrentTime()
  /** Changes with each new exchange too, so that the bars of exchanges under way grow. */
  const currentTime = computed(() => {
    void [clock.value, traffic.pending, list.version]
    return Date.now()
  })
  const endedSeqs = computed<readonly number[]>(() => Array.from(list.seqs))
  /** Ids of the newest ended exchanges, which for a moment may still be listed as under way. */
  const justEnded = computed(() => {
    const seqs = endedSeqs.value
    const ends = seqs.length > 100 ? [...seqs.slice(0, 50), ...seqs.slice(-50)] : seqs
    return new Set(ends.map((seq) => list.rowOf(seq)?.id))
  })
  const pending = computed(() => {
    const pendingRows = traffic.pending.filter((row) => isPendingRowIncluded(row, filter.value))
    return pendingRows.length === 0
      ? pendingRows
      : pendingRows.filter(({ id }) => !justEnded.value.has(id)).toReversed()
  })
  const pendingById = computed(() => new Map<string, PendingRow>(pending.value.map((row) => [row.id, row])))
  const keys = computed<readonly TrafficRowKey[]>(() =>
    pending.value.length === 0 ? endedSeqs.value : [...pending.value.map(({ id }) => id), ...endedSeqs.value],
  )
  const getRow = (key: TrafficRowKey): TrafficRow | undefined =>
    typeof key === 'number' ? list.rowOf(key) : pendingById.value.get(key)

  const { visibleKeys, nearbyKeys } = useKeysInSight(
    list,
    () => keys.value,
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
