import { computed, onScopeDispose, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'
import type { TrafficFilter } from '../../../shared/traffic/traffic-filter.ts'
import { useTraffic } from '../../stores/traffic.ts'

const BUCKETS = 120
/** Less than this is not read for every exchange that arrives. */
const PAUSE_MS = 500

interface Counts {
  readonly all: readonly number[]
  readonly failed: readonly number[]
}

/**
 * Counts over the time that the list covers, whatever span of it is selected. `newest` grows with
 * what arrives; nothing is counted before the list itself is `ready`.
 */
export function useRequestCounts(
  filter: () => TrafficFilter,
  newest: () => number,
  ready: () => boolean,
): { counts: ShallowRef<Counts>; from: ComputedRef<number>; to: ComputedRef<number> } {
  const traffic = useTraffic()
  const counts = shallowRef<Counts>({ all: [], failed: [] })
  const reach = shallowRef<readonly [number, number]>([Date.now() - 60_000, Date.now()])
  let running = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function read(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    running.abort()
    const { signal } = (running = new AbortController())
    const rest = { ...filter(), from: undefined, to: undefined }
    const info = traffic.info
    if (info === null || !ready()) return
    const begin = rest.thisRun ? info.runStartedAt : (info.oldestAt ?? info.runStartedAt)
    // A clock that was set back has exchanges that are later than now.
    const span = [begin, Math.max(Date.now(), info.newestAt, begin + 1000)] as const
    try {
      const found = await traffic.readTimeStrip({ filter: rest, from: span[0], to: span[1], buckets: BUCKETS }, signal)
      if (signal.aborted) return
      counts.value = found
      reach.value = span
    } catch {
      // The list says what is wrong.
    }
  }
  watch(
    [() => JSON.stringify(filter()), newest, () => traffic.info],
    () => (timer ??= setTimeout(() => void read(), PAUSE_MS)),
  )
  watch(
    () => ready() && traffic.info !== null,
    (now) => now && void read(),
    { immediate: true },
  )
  onScopeDispose(() => {
    running.abort()
    clearTimeout(timer)
  })
  return { counts, from: computed(() => reach.value[0]), to: computed(() => reach.value[1]) }
}
