import { scaleLinear, type ScaleLinear } from 'd3-scale'
import { computed, shallowRef, watch, type ComputedRef } from 'vue'
import { useCurrentTime } from '../../components/current-time.ts'
import { isPendingRowIncluded, type PendingRow } from '../../model/traffic/pending-row.ts'
import { getTimeSpan } from '../../model/traffic/exchange-phases.ts'
import { useTraffic } from '../../stores/traffic.ts'
import { useTrafficList } from '../../stores/traffic-list.ts'
import type { RowKey, TrafficRow } from './traffic-columns.ts'
import type { useTrafficRouteState } from './traffic-route-state.ts'

/** Rows read ahead on either side of those in view. */
const AHEAD = 60

interface TrafficRows {
  readonly list: ReturnType<typeof useTrafficList>
  readonly keys: ComputedRef<readonly RowKey[]>
  getRow(key: RowKey): TrafficRow | undefined
  /** The positions that are drawn now. */
  setVisibleRange(first: number, last: number): void
  /** Moments to shares of the waterfall's width; null while nothing is in view. */
  readonly scale: ComputedRef<ScaleLinear<number, number> | null>
  readonly currentTime: ComputedRef<number>
}

/**
 * The rows of the list: what is under way on top, then what has ended; those in view are read, and
 * span the waterfall.
 */
export function useTrafficRows({ filter, sort }: ReturnType<typeof useTrafficRouteState>): TrafficRows {
  const traffic = useTraffic()
  const view = shallowRef<readonly [first: number, last: number]>([0, 30])
  const list = useTrafficList(
    () => filter.value,
    () => sort.value,
    () => view.value[0] === 0,
  )
  const clock = useCurrentTime()
  /** Moves on with whatever arrives, so that what is under way grows. */
  const now = computed(() => {
    void [clock.value, traffic.pending, list.version]
    return Date.now()
  })
  const ended = computed<readonly number[]>(() => Array.from(list.seqs))
  /** Ids of what ended last: for a moment it may still be told of as under way. */
  const justEnded = computed(() => {
    const seqs = ended.value
    const ends = seqs.length > 100 ? [...seqs.slice(0, 50), ...seqs.slice(-50)] : seqs
    return new Set(ends.map((seq) => list.rowOf(seq)?.id))
  })
  const pending = computed(() => {
    const open = traffic.pending.filter((row) => isPendingRowIncluded(row, filter.value))
    return open.length === 0 ? open : open.filter(({ id }) => !justEnded.value.has(id)).toReversed()
  })
  const byId = computed(() => new Map<string, PendingRow>(pending.value.map((row) => [row.id, row])))
  const keys = computed<readonly RowKey[]>(() =>
    pending.value.length === 0 ? ended.value : [...pending.value.map(({ id }) => id), ...ended.value],
  )
  const rowOf = (key: RowKey): TrafficRow | undefined =>
    typeof key === 'number' ? list.rowOf(key) : byId.value.get(key)

  watch(
    [view, keys],
    ([[first, last], all]) => {
      const near = all.slice(Math.max(0, first - AHEAD), last + AHEAD)
      list.loadRows(near.filter((key) => typeof key === 'number'))
    },
    { immediate: true },
  )
  const scale = computed(() => {
    const [first, last] = view.value
    const rows = keys.value.slice(first, last + 1).flatMap((key) => rowOf(key) ?? [])
    const span = getTimeSpan(rows, now.value)
    return span && scaleLinear(span, [0, 100])
  })
  return {
    list,
    keys,
    getRow: rowOf,
    setVisibleRange: (first, last) => (view.value = [first, last]),
    scale,
    currentTime: now,
  }
}
