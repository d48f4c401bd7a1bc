import { defineStore } from 'pinia'
import { onScopeDispose, shallowRef, watchEffect, type Component } from 'vue'

/** What a place shows in the pane "Inspector". */
interface InspectorContent {
  readonly component: Component
  readonly props?: Readonly<Record<string, unknown>>
  /** Already translated, because a card's title is not a message key. */
  readonly title?: string
  /** The whole answer rather than what is selected: in a narrow window only when asked for. */
  readonly isAmbient?: boolean
}

/** What is open over and next to the place. */
export const useUi = defineStore('ui', () => {
  const inspector = shallowRef<InspectorContent | null>(null)
  const overlay = shallowRef<'palette' | 'shortcuts' | null>(null)
  /** The pane was asked for in a narrow window, where it does not open by itself. */
  const isInspectorRequested = shallowRef(false)
  /** What each owner has to show, the latest last. */
  const contents = new Map<symbol, InspectorContent>()

  /** Fills the pane for `key` until another owner does; null gives it up, and takes nothing from another owner. */
  function showInspector(key: symbol, content: InspectorContent | null): void {
    contents.delete(key)
    if (content !== null) contents.set(key, content)
    inspector.value = [...contents.values()].at(-1) ?? null
  }

  /** Gives the pane up: it shows again what another owner had there before. */
  const releaseInspector = (key: symbol): void => showInspector(key, null)

  return { inspector, asked: isInspectorRequested, overlay, show: showInspector, release: releaseInspector }
})

/**
 * Shows what `content` returns in the pane "Inspector" for as long as the calling component lives, and updates it whenever its dependencies
 * change; null = nothing selected.
 */
export function useInspector(content: () => InspectorContent | null): void {
  const ui = useUi()
  const key = Symbol('inspector')
  watchEffect(() => {
    ui.show(key, content())
  })
  onScopeDispose(() => {
    ui.release(key)
  })
}
