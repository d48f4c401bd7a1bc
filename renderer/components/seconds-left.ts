import { useDocumentVisibility } from '@vueuse/core'
import { onScopeDispose, ref, watch, type Ref } from 'vue'

/**
 * Whole seconds until a moment (epoch milliseconds), rounded up; 0 from then on. It wakes the page once a second, when the number changes,
 * and not at all after the moment or while nobody sees the page.
 */
export function useSecondsLeft(at: () => number): Readonly<Ref<number>> {
  const left = ref(0)
  let timer: ReturnType<typeof setTimeout> | undefined
  const visibility = useDocumentVisibility()
  function tick(): void {
    clearTimeout(timer)
    const ms = at() - Date.now()
    left.value = Math.max(0, Math.ceil(ms / 1000))
    if (ms > 0 && visibility.value === 'visible') timer = setTimeout(tick, ms - (left.value - 1) * 1000)
  }
  watch([at, visibility], tick, { immediate: true })
  onScopeDispose(() => clearTimeout(timer))
  return left
}
