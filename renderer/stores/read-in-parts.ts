import { onScopeDispose, ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import { isCancellation, toAppError } from './errors.ts'

interface ReadInParts<Progress> {
  /** Null before the first part. A restart keeps it until its first part. */
  readonly progress: ShallowRef<Progress | null>
  readonly isReading: Ref<boolean>
  /** True if reading was stopped, or failed, before its end. */
  readonly isPartial: Ref<boolean>
  readonly error: ShallowRef<AppError | null>
  start(): Promise<void>
  stop(): void
}

/** The user sees the parts arriving and may cancel. Ends with the component. */
export function useReadInParts<Progress>(
  read: (signal: AbortSignal, onPart: (progress: Progress) => void) => Promise<void>,
): ReadInParts<Progress> {
  const progress = shallowRef<Progress | null>(null)
  const isReading = ref(false)
  const isPartial = ref(false)
  const error = shallowRef<AppError | null>(null)
  let controller = new AbortController()

  async function start(): Promise<void> {
    controller.abort()
    const { signal } = (controller = new AbortController())
    isReading.value = true
    isPartial.value = false
    error.value = null
    try {
      await read(signal, (part) => {
        if (!signal.aborted) progress.value = part
      })
    } catch (thrown) {
      if (!signal.aborted) isPartial.value = true
      if (!signal.aborted && !isCancellation(thrown)) error.value = toAppError(thrown)
    }
    if (!signal.aborted) isReading.value = false
  }
  function stop(): void {
    controller.abort()
    isReading.value = false
    isPartial.value = true
  }
  onScopeDispose(() => controller.abort())
  return { progress, isReading, isPartial, error, start, stop }
}
