import { useDocumentVisibility, useIntervalFn } from '@vueuse/core'
import { watch } from 'vue'

/**
 * Calls `onTick` at once and then every `ms` milliseconds while the page is visible. When a hidden
 * page becomes visible, `onTick` is called at once. Stops with the calling component.
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
