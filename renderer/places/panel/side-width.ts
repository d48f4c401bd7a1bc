import { useWindowSize } from '@vueuse/core'
import { computed, ref, type WritableComputedRef } from 'vue'

const MIN_WIDTH_PX = 380
const MAX_WIDTH_PX = 1_000
/** At 1,280 pixels a call has room for its status and for what the gate did. */
const SHARE = 0.39

/** The width of the sidebar: a share of the window until the user chooses a width in pixels. */
export function useSideWidth(): WritableComputedRef<number> {
  const { width: windowWidth } = useWindowSize()
  const chosenWidth = ref<number | null>(null)
  return computed({
    get: () =>
      chosenWidth.value ?? Math.round(Math.max(MIN_WIDTH_PX, Math.min(MAX_WIDTH_PX, windowWidth.value * SHARE))),
    set: (width) => (chosenWidth.value = width),
  })
}
