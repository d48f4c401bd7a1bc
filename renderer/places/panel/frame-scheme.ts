import { ref, watch, type Ref } from 'vue'
import type { PanelState } from '../../../shared/panel/panel.ts'
import type { PanelView } from './panel-view.ts'

interface FrameScheme {
  /**
   * The frame's name, from which the panel's helper script knows the choice before anything is
   * drawn; undefined leaves it to the system.
   */
  readonly frameName: Ref<string | undefined>
  /** Tells the page in the frame again, which has been loaded. */
  sendScheme(): void
}

/**
 * Tells a panel in a frame whether it is to be light or dark: a browser lets nobody else say so
 * (`resources/panel/scheme.js`).
 */
export function useFrameScheme(
  frame: Readonly<Ref<HTMLIFrameElement | null>>,
  state: () => PanelState,
  { scheme }: PanelView,
): FrameScheme {
  const name = ref<string>()
  // Only for a new frame: a name that changes is seen by the page.
  watch(
    () => state().load,
    () => (name.value = scheme.value === 'system' ? undefined : `inspector-scheme:${scheme.value}`),
    { immediate: true },
  )
  function tell(): void {
    const { url } = state()
    if (url !== null) frame.value?.contentWindow?.postMessage({ inspectorScheme: scheme.value }, new URL(url).origin)
  }
  watch(scheme, tell)
  return { frameName: name, sendScheme: tell }
}
