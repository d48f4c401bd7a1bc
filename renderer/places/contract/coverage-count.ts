import { onScopeDispose, ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import type { AppError } from '../../../shared/errors.ts'
import type { RouteCoverage } from '../../../shared/traffic/coverage.ts'
import { readCoverage } from '../../stores/coverage.ts'
import { isCancellation, toAppError } from '../../stores/errors.ts'

interface CoverageCount {
  /** What was counted so far. */
  readonly routes: ShallowRef<readonly RouteCoverage[]>
  /** Numbers of exchanges; null before the first part was counted. */
  readonly progress: ShallowRef<{ readonly counted: number; readonly total: number } | null>
  readonly isCounting: Ref<boolean>
  /** True if counting was stopped before its end. */
  readonly isPartial: Ref<boolean>
  readonly error: ShallowRef<AppError | null>
  start(): Promise<void>
  stop(): void
}

/** Counts everything that was recorded. Counting ends with the component. */
export function useCoverageCount(): CoverageCount {
  const routes = shallowRef<readonly RouteCoverage[]>([])
  const progress = shallowRef<{ readonly counted: number; readonly total: number } | null>(null)
  const isCounting = ref(false)
  const isPartial = ref(false)
  const error = shallowRef<AppError | null>(null)
  let controller = new AbortController()

  async function start(): Promise<void> {
    controller.abort()
    const { signal } = (controller = new AbortController())
    isCounting.value = true
    isPartial.value = false
    error.value = null
    try {
      await readCoverage(signal, (counted, total, part) => {
        if (signal.aborted) return
        progress.value = { counted, total }
        routes.value = part
      })
    } catch (thrown) {
      if (!signal.aborted && !isCancellation(thrown)) error.value = toAppError(thrown)
    }
    if (!signal.aborted) isCounting.value = false
  }
  function stop(): void {
    controller.abort()
    isCounting.value = false
    isPartial.value = true
  }
  onScopeDispose(() => controller.abort())
  return { routes, progress, isCounting, isPartial, error, start, stop }
}
