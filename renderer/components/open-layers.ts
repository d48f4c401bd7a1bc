import { nextTick, onMounted, onScopeDispose, onWatcherCleanup, shallowRef, watch, type InjectionKey } from 'vue'
import type { RouteLocationNormalized, Router } from 'vue-router'

/** Selector of the element in which a place shows drawers beside its content. */
export const drawerPaneKey: InjectionKey<string> = Symbol('drawerPane')

/** Functions that close what lies over the page, the topmost last. */
const openLayers: (() => void)[] = []

/** Registers a dialog, drawer, menu or popover while it is open; returns how to remove it. */
export function addLayer(close: () => void): () => void {
  openLayers.push(close)
  return () => {
    const index = openLayers.indexOf(close)
    if (index >= 0) openLayers.splice(index, 1)
  }
}

/** Registers the calling component as a layer while it lives. */
export function useLayer(close: () => void): void {
  let remove = (): void => undefined
  onMounted(() => (remove = addLayer(close)))
  onScopeDispose(() => remove())
}

/** Open dialogs in which the user has typed something that closing them would lose. */
export const typedDialogCount = shallowRef(0)

/** Counts the dialog while something was typed; returns the listener of its `input` events. */
export function useTypedDialog(isGuarded: () => boolean): () => void {
  const isTyped = shallowRef(false)
  // The count is no dependency: the dialogs that change it would otherwise run each other's effect.
  watch(
    () => isTyped.value && isGuarded(),
    (isCounted) => {
      if (!isCounted) return
      typedDialogCount.value += 1
      onWatcherCleanup(() => (typedDialogCount.value -= 1))
    },
  )
  return () => (isTyped.value = true)
}

/** Positions in the browser's history, which only the Navigation API counts for typed addresses. */
function getPositions(): { readonly entry: number; readonly router: number } {
  const router = (history.state as { position?: number } | null)?.position ?? 0
  const { navigation } = window as { navigation?: { currentEntry: { index: number } | null } }
  return { entry: navigation?.currentEntry?.index ?? router, router }
}

/** Gives the place the focus of what has gone, so that Tab does not begin at the skip link. */
export function focusPlaceIfLost(): void {
  if (document.activeElement === document.body) document.querySelector('main')?.focus({ preventScroll: true })
}

const isStart = ({ matched, name }: RouteLocationNormalized): boolean => matched.length === 0 || name === 'start'

/**
 * Closes all layers when the address changes, and moves a lost focus into the new place; Back
 * closes the topmost layer first.
 */
export function closeLayersOnNavigation(router: Router): () => void {
  let last = getPositions()
  const stops = [
    router.beforeEach((to, from) => {
      const current = getPositions()
      const topLayer = openLayers.at(-1)
      if (current.entry < last.entry && topLayer) {
        topLayer()
        // vue-router returns to the address only if it has counted the entries itself.
        if (current.router === last.router) history.go(last.entry - current.entry)
        return false
      }
      if (!isStart(from) && (to.path !== from.path || current.entry !== last.entry))
        for (const close of [...openLayers].reverse()) close()
      return true
    }),
    router.afterEach((to, from, failure) => {
      if (failure) return
      last = getPositions()
      if (!isStart(from) && to.path !== from.path) void nextTick(focusPlaceIfLost)
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
