import { useEventListener } from '@vueuse/core'
import { onScopeDispose, ref, watch, type Ref } from 'vue'
import type { PanelState } from '../../../shared/panel/panel.ts'
import { watchResponsiveness } from '../../../shared/panel/responsiveness-watch.ts'

/**
 * Whether the panel's page responds. For a frame, this composable pings the helper script in the
 * page (`resources/panel/host.js`) from the moment the script announces itself. In the desktop app,
 * the app itself checks its view.
 */
export function usePanelResponsiveness(
  frame: Readonly<Ref<HTMLIFrameElement | null>>,
  state: () => PanelState,
): Ref<boolean> {
  const isResponding = ref(true)
  let stopWatching = (): void => undefined
  let onPong: ((value: unknown) => void) | null = null
  let pingNumber = 0

  function ping(): Promise<unknown> {
    pingNumber += 1
    const { url } = state()
    const target = frame.value?.contentWindow
    return new Promise((resolve) => {
      onPong = (value) => value === pingNumber && resolve(value)
      if (url === null || !target) resolve(null)
      else target.postMessage({ inspectorPing: pingNumber }, new URL(url).origin)
    })
  }
  function startWatching(): void {
    stopWatching()
    isResponding.value = true
    stopWatching = watchResponsiveness({
      ping,
      onChange: (isNowResponding) => (isResponding.value = isNowResponding),
      startInterval(callback, intervalMs) {
        const timer = setInterval(callback, intervalMs)
        return () => clearInterval(timer)
      },
    })
  }
  useEventListener(window, 'message', ({ source, data }: MessageEvent<unknown>) => {
    if (source === null || source !== frame.value?.contentWindow || typeof data !== 'object' || data === null) return
    if ('inspectorReady' in data) startWatching()
    else if ('inspectorPong' in data) onPong?.(data.inspectorPong)
  })
  // Each load creates a new frame, whose helper script announces itself again.
  watch([() => state().load, () => state().phase], () => {
    stopWatching()
    isResponding.value = true
  })
  onScopeDispose(() => stopWatching())
  return isResponding
}
