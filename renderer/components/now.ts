import { createSharedComposable } from '@vueuse/core'
import { ref } from 'vue'
import { useSeenInterval } from './seen-interval.ts'

const TICK_MS = 20_000

/** The current time in epoch milliseconds: one clock for all relative times on the page. It stands still while nobody sees the page. */
export const useNow = createSharedComposable(() => {
  const now = ref(Date.now())
  useSeenInterval(() => void (now.value = Date.now()), TICK_MS)
  return now
})
