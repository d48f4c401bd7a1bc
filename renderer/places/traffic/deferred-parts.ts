import { whenever } from '@vueuse/core'
import { onScopeDispose, ref, type Ref } from 'vue'

/** Rows that take longer than this, in milliseconds, are not waited for. */
const PATIENCE_MS = 400
/** The first frame has the rows in view, the second those around them. */
const ROW_FRAMES = 2

/**
 * How many parts of a place to draw that nobody waits for, one more each frame up to `parts`: so
 * that none of the frames takes long. They begin after the rows are there, or soon where these take
 * long.
 */
export function useDeferredParts(there: () => boolean, parts: number): Readonly<Ref<number>> {
  const drawn = ref(0)
  let frame = 0
  let frames = 0
  const next = (): void => {
    frames += 1
    drawn.value = Math.max(0, frames - ROW_FRAMES)
    if (drawn.value < parts) frame = requestAnimationFrame(next)
  }
  const begin = (): void => void (frame ||= requestAnimationFrame(next))
  const timer = setTimeout(begin, PATIENCE_MS)
  whenever(there, begin, { immediate: true, once: true })
  onScopeDispose(() => {
    clearTimeout(timer)
    cancelAnimationFrame(frame)
  })
  return drawn
}
