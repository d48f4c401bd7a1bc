import { useDocumentVisibility } from '@vueuse/core'
import { onScopeDispose, ref, watch, type Ref } from 'vue'

/**
 * Counts the whole seconds until a time (epoch milliseconds), rounded up; 0 afterwards. The timer
 * runs once a second, except while the page is hidden and after the count has reached 0.
 */
export function useSecondsLeft(getTimestamp: () => number): Readonly<Ref<number>> {
  const secondsLeft = ref(0)
  let timer: ReturnType<typeof setTimeout> | undefined
  const visibility = useDocumentVisibility()
  function updateSeconds(): void {
    clearTimeout(timer)
    const remainingMs = getTimestamp() - Date.now()
    secondsLeft.value = Math.max(0, Math.ceil(remainingMs / 1000))
    if (remainingMs > 0 && visibility.value === 'visible')
      timer = setTimeout(updateSeconds, remainingMs - (secondsLeft.value - 1) * 1000)
  }
  watch([getTimestamp, visibility], updateSeconds, { immediate: true })
  onScopeDispose(() => clearTimeout(timer))
  return secondsLeft
}
