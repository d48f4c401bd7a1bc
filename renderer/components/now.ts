import { createSharedComposable, useIntervalFn } from '@vueuse/core'
import { ref } from 'vue'

const TICK_MS = 20_000

/** The current time in epoch milliseconds: one clock for all relative times on the page. */
export const useNow = createSharedComposable(() => {
  const now = ref(Date.now())
  useIntervalFn(() => (now.value = Date.now()), TICK_MS)
  return now
})
