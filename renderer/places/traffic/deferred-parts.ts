import { whenever } from '@vueuse/core'
import { onScopeDispose, ref, type Ref } from 'vue'

/** Rows that take longer than this do not hold up the other parts. */
const MAX_WAIT_MS = 400
/** The first frame renders the visible rows, the second the rows around them. */
const ROW_FRAMES = 2

/**
 * Spreads the rendering of a view's secondary parts over several frames, so that no frame takes
 * long. The first part follows the rows, or comes after MAX_WAIT_MS if the rows take longer.
 * @param areRowsLoaded returns true once the rows can be rendered.
 * @returns the number of parts to render so far, up to `partCount`.
 */
export function useDeferredPartCount(areRowsLoaded: () => boolean, partCount: number): Readonly<Ref<number>> {
  const renderedCount = ref(0)
  let frame = 0
  let frames = 0
  const onFrame = (): void => {
    frames += 1
    renderedCount.value = Math.max(0, frames - ROW_FRAMES)
    if (renderedCount.value < partCount) frame = requestAnimationFrame(onFrame)
  }
  const start = (): void => void (frame ||= requestAnimationFrame(onFrame))
  const timer = setTimeout(start, MAX_WAIT_MS)
  whenever(areRowsLoaded, start, { immediate: true, once: true })
  onScopeDispose(() => {
    clearTimeout(timer)
    cancelAnimationFrame(frame)
  })
  return renderedCount
}
