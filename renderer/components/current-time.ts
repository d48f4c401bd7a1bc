import { createSharedComposable } from '@vueuse/core'
import { ref } from 'vue'
import { useVisibleInterval } from './visible-interval.ts'

const UPDATE_INTERVAL_MS = 20_000

/** Epoch milliseconds from one timer for the page, which stops while the page is hidden. */
export const useCurrentTime = createSharedComposable(() => {
  const now = ref(Date.now())
  useVisibleInterval(() => void (now.value = Date.now()), UPDATE_INTERVAL_MS)
  return now
})
