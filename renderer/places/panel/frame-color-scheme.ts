import { ref, watch, type Ref } from 'vue'
import type { PanelState } from '../../../shared/panel/panel.ts'
import type { PanelView } from './panel-view.ts'

/** Only a page sets its color scheme in browsers: by `resources/panel/scheme.js`. */
export function useFrameColorScheme(
  frame: Readonly<Ref<HTMLIFrameElement | null>>,
  state: () => PanelState,
  { scheme }: PanelView,
) {
  /** The panel's helper script reads the scheme from it; undefined leaves that to the system. */
  const frameName = ref<string>()
  // A page can read the name of its frame, so the name changes only with a new frame.
  watch(
    () => state().load,
    () => (frameName.value = scheme.value === 'system' ? undefined : `inspector-scheme:${scheme.value}`),
    { immediate: true },
  )
  /** Must be called after each load of the page. */
  function sendColorScheme(): void {
    const { url } = state()
    if (url !== null) frame.value?.contentWindow?.postMessage({ inspectorScheme: scheme.value }, new URL(url).origin)
  }
  watch(scheme, sendColorScheme)
  return { frameName, sendColorScheme }
}
