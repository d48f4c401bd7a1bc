import { useDocumentVisibility, useIntervalFn } from '@vueuse/core'
import { watch } from 'vue'

/** Calls `tick` every so many milliseconds while the page is seen, and at once when it is seen: from the beginning, or again. Ends with its component. */
export function useSeenInterval(tick: () => void, ms: number): void {
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
