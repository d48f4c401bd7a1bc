import { useEventListener, useRafFn } from '@vueuse/core'
import { onMounted, onScopeDispose, ref, type Ref } from 'vue'

/** Dialogs, drawers, menus, popovers and tooltips. */
const OVERLAY_SELECTOR =
  '.n-modal-container, .n-drawer-container, .v-binder-follower-content, [role="dialog"], [data-over]'
/**
 * The element is also probed at a grid of points, which finds overlays that the selector misses.
 */
const PROBES_PER_AXIS = 6

/**
 * Whether an overlay of our page covers an element. The desktop app draws its own views above the
 * page, so it has to hide a view that would cover a dialog or a menu.
 */
export function useIsCoveredByOverlay(element: () => HTMLElement | null): Ref<boolean> {
  const isElementCovered = ref(false)
  const { pause, resume } = useRafFn(
    () => {
      pause()
      const currentElement = element()
      isElementCovered.value = currentElement !== null && isCoveredByOverlay(currentElement)
    },
    { immediate: false },
  )
  const scheduleCheck = (): void => resume()
  const observer = new MutationObserver(scheduleCheck)
  onMounted(() => {
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['class', 'style', 'hidden'],
    })
    scheduleCheck()
  })
  useEventListener(window, 'resize', scheduleCheck)
  onScopeDispose(() => observer.disconnect())
  return isElementCovered
}

export function isCoveredByOverlay(element: HTMLElement): boolean {
  const box = element.getBoundingClientRect()
  if (box.width === 0 || box.height === 0) return false
  for (const overlay of document.querySelectorAll<HTMLElement>(OVERLAY_SELECTOR)) {
    if (element.contains(overlay) || overlay.contains(element)) continue
    // The container of an overlay may have no size; its children have one.
    const boxes = [overlay, ...overlay.children].map((overlayPart) => overlayPart.getBoundingClientRect())
    if (boxes.some((overlayBox) => overlap(box, overlayBox))) return true
  }
  for (let row = 0; row < PROBES_PER_AXIS; row += 1) {
    for (let column = 0; column < PROBES_PER_AXIS; column += 1) {
      const x = box.left + ((column + 0.5) / PROBES_PER_AXIS) * box.width
      const y = box.top + ((row + 0.5) / PROBES_PER_AXIS) * box.height
      const top = document.elementFromPoint(x, y)
      // There is no element outside the window, and the part that the stage cuts off is not
      // covered.
      if (top !== null && !element.contains(top) && !top.contains(element)) return true
    }
  }
  return false
}

const overlap = (a: DOMRect, b: DOMRect): boolean =>
  b.width > 0 && b.height > 0 && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
