import { useElementBounding, useThrottleFn } from '@vueuse/core'
import { onScopeDispose, watch } from 'vue'
import { usePanel } from '../../stores/panel.ts'
import { useIsCoveredByOverlay } from './overlay-detection.ts'
import type { PanelView } from './panel-view.ts'

/** One frame at 60 Hz: the view follows a drag without visible steps. */
const MIN_UPDATE_INTERVAL_MS = 16

/**
 * Keeps the desktop app's view of the panel at the place of an element. The view is hidden while an
 * overlay of our page covers the element, and when the component goes away.
 * @param clip returns the scrollable element around it; the view shows only what lies inside.
 */
export function useNativeViewBounds(
  element: () => HTMLElement | null,
  clip: () => HTMLElement | null,
  view: PanelView,
): void {
  const panel = usePanel()
  const elementBounds = useElementBounding(element)
  const clipBounds = useElementBounding(clip)
  const isCovered = useIsCoveredByOverlay(element)
  let isDisposed = false
  const placeView = (bounds: Parameters<typeof panel.place>[0]['bounds']): void =>
    void panel.place({ bounds, zoom: view.scale.value, scheme: view.scheme.value }).catch(() => undefined)
  const sendBounds = useThrottleFn(
    (bounds: Parameters<typeof placeView>[0]) => isDisposed || placeView(bounds),
    MIN_UPDATE_INTERVAL_MS,
    true,
  )
  watch(
    [
      elementBounds.x,
      elementBounds.y,
      elementBounds.width,
      elementBounds.height,
      clipBounds.x,
      clipBounds.y,
      clipBounds.width,
      clipBounds.height,
      isCovered,
      view.scale,
      view.scheme,
    ],
    () => {
      const left = Math.max(elementBounds.left.value, clipBounds.left.value)
      const top = Math.max(elementBounds.top.value, clipBounds.top.value)
      const width = Math.round(Math.min(elementBounds.right.value, clipBounds.right.value) - left)
      const height = Math.round(Math.min(elementBounds.bottom.value, clipBounds.bottom.value) - top)
      const isHidden = isCovered.value || width < 1 || height < 1
      void sendBounds(isHidden ? null : { x: Math.round(left), y: Math.round(top), width, height })
    },
    { immediate: true, flush: 'post' },
  )
  onScopeDispose(() => {
    isDisposed = true
    placeView(null)
  })
}
