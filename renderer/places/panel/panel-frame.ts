import { useEventListener } from '@vueuse/core'
import { onScopeDispose, ref, watch, type Ref } from 'vue'
import type { PanelState } from '../../../shared/panel/panel.ts'
import { watchResponsiveness } from '../../../shared/panel/responsiveness-watch.ts'
import { focusPlaceIfLost } from '../../components/open-layers.ts'
import { useActions } from '../../stores/shortcuts.ts'
import { panelActions } from './panel-actions.ts'

/** So many messages in one second have no purpose but to keep our page busy. */
const MAX_MESSAGES_PER_SECOND = 2_000
/** A page that does not respond in this time is opened anew instead of being reloaded. */
const RELOAD_TIMEOUT_MS = 2_000

/**
 * The messages between our page and the panel's frame: whether the page responds, the keys that it
 * does not use, and where the focus was in it. The other end is the helper script in the page
 * (`resources/panel/host.js`), which other scripts of the page can imitate.
 * @param onStuckLoad called when a load of the page began while the page did not respond, so that
 *   its new frame does not respond either.
 */
export function usePanelFrame(
  frame: Readonly<Ref<HTMLIFrameElement | null>>,
  state: () => PanelState,
  onStuckLoad: () => void,
) {
  /** False if the page has not responded for five seconds. */
  const isResponding = ref(true)
  /** True if the page has sent a flood of messages; its frame must be removed. */
  const isFlooding = ref(false)
  let stopWatching = (): void => undefined
  const waitingPings = new Map<unknown, (value: unknown) => void>()
  let pingNumber = 0
  let messageCount = 0
  let countedSince = 0
  let focusBefore: HTMLElement | null = null
  /** True while a frame that had the focus is being replaced. */
  let isFocusKept = false

  const send = (message: object): void => {
    const { url } = state()
    if (url !== null) frame.value?.contentWindow?.postMessage(message, new URL(url).origin)
  }
  function ping(): Promise<unknown> {
    pingNumber += 1
    send({ inspectorPing: pingNumber })
    return new Promise((resolve) => waitingPings.set(pingNumber, resolve))
  }
  function startWatching(): void {
    stopWatching()
    waitingPings.clear()
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
  function countMessage(timestamp: number): void {
    if (timestamp - countedSince > 1_000) {
      countedSince = timestamp
      messageCount = 0
    }
    messageCount += 1
    if (messageCount > MAX_MESSAGES_PER_SECOND) isFlooding.value = true
  }

  const hasFocus = (): boolean => frame.value !== null && document.activeElement === frame.value
  /** Moves the focus from the panel to where it was before. */
  function leave(): void {
    if (focusBefore?.isConnected === true) focusBefore.focus()
    else {
      frame.value?.blur()
      focusPlaceIfLost()
    }
  }
  /** Handles a key as if it had been pressed in our page, whose listeners then see it. */
  function pressKey(press: KeyboardEventInit): void {
    // Escape does not count as an action of the user, and only leaves the panel.
    if (!hasFocus() || !(navigator.userActivation.isActive || press.key === 'Escape')) return
    const { key = '', code = '', ctrlKey, altKey, metaKey, shiftKey } = press
    const modifiers = { ctrlKey: ctrlKey === true, altKey: altKey === true, metaKey: metaKey === true }
    const init = { key, code, ...modifiers, shiftKey: shiftKey === true, bubbles: true, cancelable: true }
    frame.value?.dispatchEvent(new KeyboardEvent('keydown', init))
  }
  useActions([
    {
      ...panelActions.switchFocus,
      isEnabled: () => frame.value !== null && frame.value.offsetParent !== null,
      run: () => (hasFocus() ? leave() : frame.value?.focus()),
    },
  ])
  useEventListener(document, 'focusin', ({ target }) => {
    if (target !== frame.value && target instanceof HTMLElement) focusBefore = target
  })

  useEventListener(window, 'message', (event: MessageEvent<unknown>) => {
    const { source } = event
    if (source !== window) countMessage(event.timeStamp)
    if (source === null || source !== frame.value?.contentWindow || isFlooding.value) return
    const { data } = event
    if (typeof data !== 'object' || data === null) return
    if ('inspectorReady' in data) startWatching()
    else if ('inspectorPong' in data) {
      waitingPings.get(data.inspectorPong)?.(true)
      waitingPings.delete(data.inspectorPong)
    } else if ('inspectorKey' in data) pressKey(data.inspectorKey as KeyboardEventInit)
  })
  // Each load creates a new frame, whose helper script announces itself again.
  watch([() => state().load, () => state().phase], ([load], [previousLoad]) => {
    const wasStuck = !isResponding.value && state().phase === 'running'
    stopWatching()
    isResponding.value = true
    if (load !== previousLoad) isFlooding.value = false
    isFocusKept = hasFocus()
    if (wasStuck) onStuckLoad()
  })
  watch(frame, (element) => {
    if (!element) return
    // Returning focus means the element in the frame that had it. The Tab key does not call this.
    element.focus = (options) => {
      HTMLElement.prototype.focus.call(element, options)
      send({ inspectorFocus: true })
    }
    if (isFocusKept) element.focus()
    isFocusKept = false
  })
  onScopeDispose(() => stopWatching())
  return {
    isResponding,
    isFlooding,
    /** Resolves with true if the page responds within two seconds. */
    checkResponse: (): Promise<boolean> =>
      Promise.race([
        ping().then(() => true),
        new Promise<boolean>((resolve) => setTimeout(() => resolve(false), RELOAD_TIMEOUT_MS)),
      ]),
    leave,
  }
}
