import { useDocumentVisibility, useIntervalFn } from '@vueuse/core'
import { watch } from 'vue'

/**
 * Calls `onTick` at once and then every `ms` milliseconds while the page is visible, and at once
 * when it becomes visible again. Stops with its component.
 */
export function useVisibleInterval(onTick: () => void, ms: number): void {
  const clock = useIntervalFn(onTick, ms, { immediate: false })
  watch(
    useDocumentVisibility(),
    (state) => {
      if (state !== 'visible') return clock.pause()
      onTick()
      clock.resume()
    },
    { immediate: true },
  )
}
