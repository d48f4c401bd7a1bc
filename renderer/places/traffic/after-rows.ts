import { whenever } from '@vueuse/core'
import { onScopeDispose, ref, type Ref } from 'vue'

/** Rows that take longer than this, in milliseconds, are not waited for. */
const PATIENCE_MS = 250

/**
 * Turns true in the third frame after the rows came, or soon where they take long: the first frame has the rows in view, the second those
 * around them, and what nobody waits for is drawn after both.
 */
export function useAfterRows(there: () => boolean): Readonly<Ref<boolean>> {
  const after = ref(false)
  const timer = setTimeout(() => (after.value = true), PATIENCE_MS)
  let frame = 0
  const inFrames = (left: number): void => {
    if (left === 0) after.value = true
    else frame = requestAnimationFrame(() => inFrames(left - 1))
  }
  whenever(there, () => inFrames(3), { immediate: true, once: true })
  onScopeDispose(() => {
    clearTimeout(timer)
    cancelAnimationFrame(frame)
  })
  return after
}
