import { computed, watch, type ComputedRef } from 'vue'
import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import type { PanelState } from '../../../shared/panel/panel.ts'
import type { TimelineCall } from '../../model/panel/timeline.ts'
import { usePanelCalls } from './panel-calls.ts'

/** The newest calls of a load are drawn; lanes with more would be solid bars. */
const MAX_DRAWN_CALLS = 400

interface TimelineCalls {
  readonly calls: ComputedRef<readonly TimelineCall[]>
  /** Number of older calls of the load. */
  readonly leftOutCount: ComputedRef<number>
}

/** Reads the calls of the page's newest load, with the decisions of the policy. */
export function useTimelineCalls(getState: () => PanelState): TimelineCalls {
  const { keys, getRow, getCall, setVisibleRange } = usePanelCalls(
    () => '',
    () => {
      const { caller, pageLoad } = getState()
      return { caller: caller ?? 'none', load: Math.max(1, pageLoad) }
    },
  )
  watch(keys, ({ length }) => setVisibleRange(0, Math.min(length, MAX_DRAWN_CALLS)), { immediate: true })
  const calls = computed(() =>
    keys.value.slice(0, MAX_DRAWN_CALLS).flatMap((key): TimelineCall[] => {
      const row = getRow(key)
      if (!row) return []
      const { id, method, template, startedAt, durationMs, endpoint } = row
      const isWrite = endpoint !== null && findEndpointById(endpoint)?.access === 'write'
      return [{ exchangeId: id, method, template, isWrite, startedAt, durationMs, summary: getCall(id) }]
    }),
  )
  return { calls, leftOutCount: computed(() => Math.max(0, keys.value.length - MAX_DRAWN_CALLS)) }
}
