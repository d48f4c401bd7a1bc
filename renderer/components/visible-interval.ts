import { useDocumentVisibility, useIntervalFn } from '@vueuse/core'
import { watch } from 'vue'

/**
 * Calls `tick` at once and then every so many milliseconds, but only while somebody sees the page; when it is seen again, at once again. Ends
 * with its component.
 */
export function useVisibleInterval(tick: () => void, ms: number): void {
  const clock = useIntervalFn(tick, ms, { immediate: false })
  watch(
    useDocumentVisibility(),
    (state) => {
      if (state !== 'visible') return clock.pause()
      tick()
      clock.resume()
    },
    { immediate: true },
  )
}
