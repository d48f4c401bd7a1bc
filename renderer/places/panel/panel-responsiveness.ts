import { useEventListener } from '@vueuse/core'
import { onScopeDispose, ref, watch, type Ref } from 'vue'
import type { PanelState } from '../../../shared/panel/panel.ts'
import { watchResponsiveness } from '../../../shared/panel/responsiveness-watch.ts'

/**
 * Whether the panel's page responds. A frame is asked by messages that its helper script returns
 * (`resources/panel/host.js`), from when it says that it runs; the desktop app's view is asked by
 * the app itself.
 */
export function usePanelResponsiveness(
  frame: Readonly<Ref<HTMLIFrameElement | null>>,
  state: () => PanelState,
): Ref<boolean> {
  const isResponding = ref(true)
  let end = (): void => undefined
  let onPong: ((value: unknown) => void) | null = null
  let number = 0

  function ping(): Promise<unknown> {
    number += 1
    const { url } = state()
    const target = frame.value?.contentWindow
    return new Promise((resolve) => {
      onPong = (value) => value === number && resolve(value)
      if (url === null || !target) resolve(null)
      else target.postMessage({ inspectorPing: number }, new URL(url).origin)
    })
  }
  function begin(): void {
    end()
    isResponding.value = true
    end = watchResponsiveness({
      ping,
      onChange: (next) => (isResponding.value = next),
      startInterval(callback, intervalMs) {
        const timer = setInterval(callback, intervalMs)
        return () => clearInterval(timer)
      },
    })
  }
  useEventListener(window, 'message', ({ source, data }: MessageEvent<unknown>) => {
    if (source === null || source !== frame.value?.contentWindow || typeof data !== 'object' || data === null) return
    if ('inspectorReady' in data) begin()
    else if ('inspectorPong' in data) onPong?.(data.inspectorPong)
  })
  // With each load comes another frame: it says itself when it runs.
  watch([() => state().load, () => state().phase], () => {
    end()
    isResponding.value = true
  })
  onScopeDispose(() => end())
  return isResponding
}
