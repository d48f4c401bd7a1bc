import { onScopeDispose, ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import type { AppError } from '../../../shared/errors.ts'
import { readCoverage, type CoveragePart } from '../../stores/coverage.ts'
import { isCancellation, toAppError } from '../../stores/errors.ts'

interface CoverageCount {
  /** What was counted so far; null before the first part was counted. */
  readonly progress: ShallowRef<CoveragePart | null>
  readonly isCounting: Ref<boolean>
  /** True if counting was stopped, or failed, before its end. */
  readonly isPartial: Ref<boolean>
  readonly error: ShallowRef<AppError | null>
  start(): Promise<void>
  stop(): void
}

/** Counts everything that was recorded. Counting ends with the component. */
export function useCoverageCount(): CoverageCount {
  const progress = shallowRef<CoveragePart | null>(null)
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
      await readCoverage(signal, (part) => {
        if (!signal.aborted) progress.value = part
      })
    } catch (thrown) {
      if (!signal.aborted) isPartial.value = true
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
  return { progress, isCounting, isPartial, error, start, stop }
}
