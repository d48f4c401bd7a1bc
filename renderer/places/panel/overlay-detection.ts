import { useEventListener, useRafFn } from '@vueuse/core'
import { onMounted, onScopeDispose, ref, type Ref } from 'vue'

/** What opens over a place: dialogs, drawers, menus, popovers and tooltips. */
const OVERLAYS = '.n-modal-container, .n-drawer-container, .v-binder-follower-content, [role="dialog"], [data-over]'
/** Points looked at on each axis, for whatever else may lie over it. */
const POINTS = 6

/**
 * Whether something of the page lies over an element. A view of the desktop app is drawn above the
 * page, so it has to make way for what opens there.
 */
export function useIsCovered(element: () => HTMLElement | null): Ref<boolean> {
  const covered = ref(false)
  const { pause, resume } = useRafFn(
    () => {
      pause()
      const own = element()
      covered.value = own !== null && isCovered(own)
    },
    { immediate: false },
  )
  const look = (): void => resume()
  const observer = new MutationObserver(look)
  onMounted(() => {
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['class', 'style', 'hidden'],
    })
    look()
  })
  useEventListener(window, 'resize', look)
  onScopeDispose(() => observer.disconnect())
  return covered
}

export function isCovered(own: HTMLElement): boolean {
  const box = own.getBoundingClientRect()
  if (box.width === 0 || box.height === 0) return false
  for (const overlay of document.querySelectorAll<HTMLElement>(OVERLAYS)) {
    if (own.contains(overlay) || overlay.contains(own)) continue
    // Containers of overlays have no box of their own: what is in them has.
    const boxes = [overlay, ...overlay.children].map((one) => one.getBoundingClientRect())
    if (boxes.some((one) => overlap(box, one))) return true
  }
  for (let row = 0; row < POINTS; row += 1) {
    for (let column = 0; column < POINTS; column += 1) {
      const x = box.left + ((column + 0.5) / POINTS) * box.width
      const y = box.top + ((row + 0.5) / POINTS) * box.height
      const top = document.elementFromPoint(x, y)
      // Outside the window there is nothing, and what the stage cuts off is not covered.
      if (top !== null && !own.contains(top) && !top.contains(own)) return true
    }
  }
  return false
}

const overlap = (a: DOMRect, b: DOMRect): boolean =>
  b.width > 0 && b.height > 0 && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
