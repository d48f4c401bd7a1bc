import { defineStore } from 'pinia'
import { onScopeDispose, shallowRef, watchEffect, type Component } from 'vue'

/** What a place shows in the pane "Inspector". */
interface InspectorContent {
  readonly component: Component
  readonly props?: Readonly<Record<string, unknown>>
  /** Already translated, because a card's title is not a message key. */
  readonly title?: string
  /**
   * The whole response rather than the selection: in a narrow window it is shown only on request.
   */
  readonly isAmbient?: boolean
}

/** The overlay, and the content of the inspector. */
export const useUi = defineStore('ui', () => {
  const inspector = shallowRef<InspectorContent | null>(null)
  const overlay = shallowRef<'palette' | 'shortcuts' | null>(null)
  /** The user opened the pane in a narrow window, where it does not open by itself. */
  const isInspectorRequested = shallowRef(false)
  /** The content of each owner, the latest last. */
  const contents = new Map<symbol, InspectorContent>()

  /**
   * Fills the pane for the owner `key` until another owner does; null removes only this owner's
   * content.
   */
  function showInspector(key: symbol, content: InspectorContent | null): void {
    contents.delete(key)
    if (content !== null) contents.set(key, content)
    inspector.value = [...contents.values()].at(-1) ?? null
  }

  /** Gives the pane up: it shows again the content of the previous owner. */
  const releaseInspector = (key: symbol): void => showInspector(key, null)

  return { inspector, isInspectorRequested, overlay, showInspector, releaseInspector }
})

/**
 * Shows what `content` returns in the pane "Inspector" while the calling component lives, and
 * updates it whenever its dependencies change; null = nothing selected.
 */
export function useInspector(content: () => InspectorContent | null): void {
  const ui = useUi()
  const key = Symbol('inspector')
  watchEffect(() => {
    ui.showInspector(key, content())
  })
  onScopeDispose(() => {
    ui.releaseInspector(key)
  })
}
