import { computed, onScopeDispose, shallowReactive, shallowRef, watch, type ComputedRef } from 'vue'
import type { PanelCallSummary } from '../../../shared/panel/panel.ts'
import type { TrafficFilter } from '../../../shared/traffic/traffic-filter.ts'
import { isPendingRowIncluded, type PendingRow } from '../../model/traffic/pending-row.ts'
import { usePanel } from '../../stores/panel.ts'
import { useTraffic } from '../../stores/traffic.ts'
import { useTrafficList } from '../../stores/traffic-list.ts'
import type { RowKey, CallListRow } from './call-columns.ts'

/** Rows read ahead on either side of those in view. */
const AHEAD = 30
/** Summaries kept; what comes back into view is read again. */
const MAX_CACHED_SUMMARIES = 2_000
const PAUSE_MS = 50
/** How soon a call that still waits is read again. */
const WAITING_MS = 500

interface PanelCalls {
  readonly list: ReturnType<typeof useTrafficList>
  /** Newest first. */
  readonly keys: ComputedRef<readonly RowKey[]>
  getRow(key: RowKey): CallListRow | undefined
  getCall(exchangeId: string): PanelCallSummary | undefined
  /** The positions that are drawn now. */
  setVisibleRange(first: number, last: number): void
}

/** One load of a panel's page, as its exchanges name it. */
type PanelLoad = Required<Pick<TrafficFilter, 'caller' | 'load'>>

/**
 * The calls that panels made in this run of the program, or in one load, from the recorder, with
 * what the gate did with those in view.
 */
export function usePanelCalls(text: () => string, load: () => PanelLoad | null): PanelCalls {
  const traffic = useTraffic()
  const panel = usePanel()
  const filter = computed<TrafficFilter>(() => {
    const part = text().trim()
    return {
      origins: ['panel'],
      thisRun: true,
      ...(part === '' ? {} : { text: part }),
      ...load(),
    }
  })
  const list = useTrafficList(
    () => filter.value,
    () => ({ by: 'time', descending: true }),
  )
  const pending = computed(() => traffic.pending.filter((row) => isPendingRowIncluded(row, filter.value)).toReversed())
  const byId = computed(() => new Map<string, PendingRow>(pending.value.map((row) => [row.id, row])))
  const keys = computed<readonly RowKey[]>(() => [...pending.value.map(({ id }) => id), ...Array.from(list.seqs)])
  const view = shallowRef<readonly [first: number, last: number]>([0, 30])
  const rowOf = (key: RowKey): CallListRow | undefined =>
    typeof key === 'number' ? list.rowOf(key) : byId.value.get(key)

  const summaries = shallowReactive(new Map<string, PanelCallSummary>())
  const asked = new Set<string>()
  /** Calls whose page had not got its whole answer when they were read: they are read again. */
  const waiting = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  async function read(): Promise<void> {
    timer = undefined
    const [first, last] = view.value
    const near = keys.value.slice(Math.max(0, first - AHEAD), last + AHEAD).flatMap((key) => rowOf(key)?.id ?? [])
    const missing = near.filter((id) => waiting.has(id) || (!summaries.has(id) && !asked.has(id))).slice(0, 200)
    if (missing.length === 0) return
    for (const id of missing) asked.add(id)
    try {
      const found = await panel.summaries(missing)
      if (summaries.size > MAX_CACHED_SUMMARIES) summaries.clear()
      for (const one of found) summaries.set(one.exchangeId, one)
      // What is not known any more is not asked for again; what is under way is, until it has
      // ended.
      for (const id of missing) if (byId.value.has(id)) asked.delete(id)
      for (const id of missing) waiting.delete(id)
      for (const one of found) if (one.durationMs === undefined) waiting.add(one.exchangeId)
      if (waiting.size > 0 && !isOver) timer ??= setTimeout(() => void read(), WAITING_MS)
    } catch {
      for (const id of missing) asked.delete(id)
    }
  }
  watch(
    [view, keys],
    ([[first, last], all]) =>
      list.loadRows(all.slice(Math.max(0, first - AHEAD), last + AHEAD).filter((key) => typeof key === 'number')),
    { immediate: true },
  )
  watch([view, keys, () => list.version], () => (timer ??= setTimeout(() => void read(), PAUSE_MS)), {
    immediate: true,
  })
  onScopeDispose(() => {
    isOver = true
    clearTimeout(timer)
  })
  return {
    list,
    keys,
    getRow: rowOf,
    getCall: (id) => summaries.get(id),
    setVisibleRange: (first, last) => (view.value = [first, last]),
  }
}
