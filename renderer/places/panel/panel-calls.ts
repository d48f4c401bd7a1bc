import { computed, onScopeDispose, shallowReactive, shallowRef, watch, type ComputedRef } from 'vue'
import type { PanelCallSummary } from '../../../shared/panel/panel.ts'
import { splitFilterText, toTokenFilter } from '../../../shared/traffic/filter-language.ts'
import type { TrafficFilter } from '../../../shared/traffic/traffic-filter.ts'
import type { TimeSpan } from '../../model/panel/timeline.ts'
import type { TrafficRow, TrafficRowKey } from '../../model/traffic/pending-row.ts'
import { onInitiatorChange, usePanel } from '../../stores/panel.ts'
import { useListedRows, useTrafficList } from '../../stores/traffic-list.ts'

/** Rows before and after the visible ones that are read in advance. */
const READ_AHEAD_ROWS = 30
/** The cache is emptied when it has more entries; visible calls are read again. */
const MAX_CACHED_SUMMARIES = 2_000
const MAX_IDS_PER_READ = 200
const READ_DELAY_MS = 50
/** Interval at which calls that have not ended yet are read again. */
const INCOMPLETE_CALL_POLL_MS = 500

interface PanelCalls {
  readonly list: ReturnType<typeof useTrafficList>
  /** Newest first. */
  readonly keys: ComputedRef<readonly TrafficRowKey[]>
  getRow(key: TrafficRowKey): TrafficRow | undefined
  getCall(exchangeId: string): PanelCallSummary | undefined
  readonly visibleKeys: ComputedRef<readonly TrafficRowKey[]>
  /** The visible keys and those next to them. */
  readonly nearbyKeys: ComputedRef<readonly TrafficRowKey[]>
  setVisibleRange(first: number, last: number): void
}

/** One load of one panel: the members of the traffic filter that select it. */
type PanelLoad = Required<Pick<TrafficFilter, 'caller' | 'load'>>

/**
 * The calls that panels made in this run of the program, or in one load of a page. The recorder
 * supplies the rows; the panel service adds the decisions of its policy for each visible call.
 * @param text returns the text to search for in the exchanges, and tokens such as `status:404`
 * @param load returns the page load to restrict the list to, or null for all
 * @param span returns the time to restrict the list to, or null for all
 */
export function usePanelCalls(
  text: () => string,
  load: () => PanelLoad | null,
  span: () => TimeSpan | null = () => null,
): PanelCalls {
  const panel = usePanel()
  const filter = computed<TrafficFilter>(() => {
    const { tokens, text: words, incomplete } = splitFilterText(text())
    const searchText = [words, ...incomplete].join(' ').trim()
    return {
      ...toTokenFilter(tokens),
      origins: ['panel'],
      thisRun: true,
      ...(searchText === '' ? {} : { text: searchText }),
      ...load(),
      ...span(),
    }
  })
  const list = useTrafficList(
    () => filter.value,
    () => ({ by: 'time', descending: true }),
  )
  const visibleRange = shallowRef<readonly [first: number, last: number]>([0, 30])
  const { keys, getRow, visibleKeys, nearbyKeys } = useListedRows(
    list,
    () => filter.value,
    () => visibleRange.value,
    READ_AHEAD_ROWS,
  )

  const summaries = shallowReactive(new Map<string, PanelCallSummary>())
  const requestedIds = new Set<string>()
  /** Calls whose page did not have its whole response when the summary was read. */
  const incompleteIds = new Set<string>()
  /** Calls of whose code more is known than when their summary was read. */
  const outdatedIds = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDisposed = false
  function scheduleRead(delayMs: number): void {
    timer ??= setTimeout(() => void readSummaries(), delayMs)
  }
  async function readSummaries(): Promise<void> {
    timer = undefined
    const nearbyIds = nearbyKeys.value.flatMap((key) => getRow(key)?.id ?? [])
    const unreadIds = nearbyIds.filter((id) => !summaries.has(id) && !requestedIds.has(id))
    const nearbyIdSet = new Set(nearbyIds)
    // The calls that were read longest ago are the first of the set.
    const polledIds = [...new Set([...outdatedIds, ...incompleteIds])].filter(
      (id) => nearbyIdSet.has(id) && summaries.has(id),
    )
    const missingIds = [...unreadIds, ...polledIds].slice(0, MAX_IDS_PER_READ)
    if (missingIds.length === 0) return
    for (const id of missingIds) {
      requestedIds.add(id)
      outdatedIds.delete(id)
    }
    try {
      const newSummaries = await panel.summaries(missingIds)
      const isCacheFull = summaries.size > MAX_CACHED_SUMMARIES
      if (isCacheFull) {
        summaries.clear()
        requestedIds.clear()
        for (const id of missingIds) requestedIds.add(id)
      }
      for (const summary of newSummaries) summaries.set(summary.exchangeId, summary)
      // A missing summary is requested only once, because the service has forgotten the call. A
      // call under way, whose key is its id, is requested again until it has ended.
      for (const id of missingIds) if (getRow(id) !== undefined) requestedIds.delete(id)
      for (const id of missingIds) incompleteIds.delete(id)
      for (const { exchangeId, durationMs } of newSummaries) if (durationMs === undefined) incompleteIds.add(exchangeId)
      if (isDisposed) return
      if (isCacheFull || unreadIds.length > MAX_IDS_PER_READ) scheduleRead(READ_DELAY_MS)
      else if (incompleteIds.size > 0 || outdatedIds.size > 0) scheduleRead(INCOMPLETE_CALL_POLL_MS)
    } catch {
      for (const id of missingIds) {
        requestedIds.delete(id)
        if (summaries.has(id)) outdatedIds.add(id)
      }
    }
  }
  watch([visibleRange, keys, () => list.version], () => scheduleRead(READ_DELAY_MS), { immediate: true })
  const endListening = onInitiatorChange((exchangeIds) => {
    for (const id of exchangeIds) if (requestedIds.has(id) || summaries.has(id)) outdatedIds.add(id)
    scheduleRead(READ_DELAY_MS)
  })
  onScopeDispose(() => {
    isDisposed = true
    endListening()
    clearTimeout(timer)
  })
  return {
    list,
    keys,
    getRow,
    getCall: (id) => summaries.get(id),
    visibleKeys,
    nearbyKeys,
    setVisibleRange: (first, last) => (visibleRange.value = [first, last]),
  }
}
