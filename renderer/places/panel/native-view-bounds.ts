import { useElementBounding, useThrottleFn } from '@vueuse/core'
import { onScopeDispose, watch } from 'vue'
import { usePanel } from '../../stores/panel.ts'
import { useIsCovered } from './overlay-detection.ts'
import type { PanelView } from './panel-view.ts'

/** Often enough for a drag to look like one. */
const EVERY_MS = 16

/**
 * Tells the desktop app where its view of the panel lies. It is hidden while something of the page
 * lies over it, and with the place. `cut` is the part of the stage that can be seen.
 */
export function useNativeViewBounds(
  element: () => HTMLElement | null,
  cut: () => HTMLElement | null,
  view: PanelView,
): void {
  const panel = usePanel()
  const own = useElementBounding(element)
  const stage = useElementBounding(cut)
  const covered = useIsCovered(element)
  let gone = false
  const place = (bounds: Parameters<typeof panel.place>[0]['bounds']): void =>
    void panel.place({ bounds, zoom: view.scale.value, scheme: view.scheme.value }).catch(() => undefined)
  const tell = useThrottleFn((bounds: Parameters<typeof place>[0]) => gone || place(bounds), EVERY_MS, true)
  watch(
    [
      own.x,
      own.y,
      own.width,
      own.height,
      stage.x,
      stage.y,
      stage.width,
      stage.height,
      covered,
      view.scale,
      view.scheme,
    ],
    () => {
      const left = Math.max(own.left.value, stage.left.value)
      const top = Math.max(own.top.value, stage.top.value)
      const width = Math.round(Math.min(own.right.value, stage.right.value) - left)
      const height = Math.round(Math.min(own.bottom.value, stage.bottom.value) - top)
      const hidden = covered.value || width < 1 || height < 1
      void tell(hidden ? null : { x: Math.round(left), y: Math.round(top), width, height })
    },
    { immediate: true, flush: 'post' },
  )
  onScopeDispose(() => {
    gone = true
    place(null)
  })
}
