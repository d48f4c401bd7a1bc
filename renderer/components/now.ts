import { createSharedComposable, useDocumentVisibility, useIntervalFn } from '@vueuse/core'
import { ref, watch } from 'vue'

const TICK_MS = 20_000

/** The current time in epoch milliseconds: one clock for all relative times on the page. It stands still while nobody sees the page. */
export const useNow = createSharedComposable(() => {
  const now = ref(Date.now())
  const tick = (): void => void (now.value = Date.now())
  const clock = useIntervalFn(tick, TICK_MS)
  const visibility = useDocumentVisibility()
  watch(
    visibility,
    (state) => {
      if (state !== 'visible') return clock.pause()
      tick()
      clock.resume()
    },
    { immediate: true },
  )
  return now
})
