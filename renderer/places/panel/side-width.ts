import { computed, ref, type Ref, type WritableComputedRef } from 'vue'

/** A call has room for its status, the end of its path and the decision of the panel policy. */
const MIN_WIDTH_PX = 560
/** The page keeps this share of a narrow lab. */
const MAX_SHARE = 0.65
/** The margins around a page that is narrower than its stage. */
const STAGE_MARGIN_PX = 32

/**
 * The width of the sidebar until the user chooses one: half of the lab, or all that the page does
 * not need.
 * @param pageWidth null if the page takes all room that there is
 */
export function useSideWidth(
  labWidth: Readonly<Ref<number>>,
  pageWidth: () => number | null,
): WritableComputedRef<number> {
  const chosenWidth = ref<number | null>(null)
  return computed({
    get() {
      const unusedWidth = labWidth.value - (pageWidth() ?? Infinity) - STAGE_MARGIN_PX
      const width = chosenWidth.value ?? Math.max(MIN_WIDTH_PX, labWidth.value / 2, unusedWidth)
      return Math.round(Math.min(width, Math.max(labWidth.value * MAX_SHARE, unusedWidth)))
    },
    set: (width) => (chosenWidth.value = width),
  })
}
