import { computed, onScopeDispose, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'
import type { TrafficFilter } from '../../../shared/traffic/traffic-filter.ts'
import { useApp } from '../../stores/app.ts'
import { useTraffic } from '../../stores/traffic.ts'

const BUCKET_COUNT = 120
/** New exchanges trigger at most one read per interval. */
const READ_DELAY_MS = 500

interface Counts {
  readonly all: readonly number[]
  readonly failed: readonly number[]
}

/**
 * Counts of requests over the whole time that the list covers, whatever span is selected.
 * @param newest returns a number that grows with each new exchange.
 * @param isListReady returns false while the list loads; the counts are read after it.
 * @returns the counts per bucket of time, and the ends of the time in epoch milliseconds.
 */
export function useRequestCounts(
  filter: () => TrafficFilter,
  newest: () => number,
  isListReady: () => boolean,
): { counts: ShallowRef<Counts>; from: ComputedRef<number>; to: ComputedRef<number> } {
  const traffic = useTraffic()
  const app = useApp()
  const counts = shallowRef<Counts>({ all: [], failed: [] })
  const timeSpan = shallowRef<readonly [number, number]>([Date.now() - 60_000, Date.now()])
  let abortController = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function read(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    abortController.abort()
    const { signal } = (abortController = new AbortController())
    const filterWithoutSpan = { ...filter(), from: undefined, to: undefined }
    const info = traffic.info
    if (info === null || !isListReady()) return
    const begin = filterWithoutSpan.thisRun ? info.runStartedAt : (info.oldestAt ?? info.runStartedAt)
    // Set back, the clock can be behind exchanges. A recording ended with its last exchange.
    const currentTime = app.info?.recording ? 0 : Date.now()
    const end = Math.max(currentTime, info.newestAt, begin + 1000)
    const span = [Math.max(begin, end - (filterWithoutSpan.lastMs ?? end)), end] as const
    try {
      const newCounts = await traffic.readTimeStrip(
        { filter: filterWithoutSpan, from: span[0], to: span[1], buckets: BUCKET_COUNT },
        signal,
      )
      if (signal.aborted) return
      counts.value = newCounts
      timeSpan.value = span
    } catch {
      // The list shows an error when the traffic store fails, so the strip shows none.
    }
  }
  watch(
    [() => JSON.stringify(filter()), newest, () => traffic.info],
    () => (timer ??= setTimeout(() => void read(), READ_DELAY_MS)),
  )
  watch(
    () => isListReady() && traffic.info !== null,
    (isReadyNow) => isReadyNow && void read(),
    { immediate: true },
  )
  onScopeDispose(() => {
    abortController.abort()
    clearTimeout(timer)
  })
  return { counts, from: computed(() => timeSpan.value[0]), to: computed(() => timeSpan.value[1]) }
}
