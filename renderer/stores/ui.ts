import { defineStore } from './define-store.ts'
import { onScopeDispose, shallowRef, watchEffect, type Component } from 'vue'
import { useSettings } from './settings.ts'

interface InspectorContent {
  readonly component: Component
  readonly props?: Readonly<Record<string, unknown>>
  /** The translated title, or the title of a card. */
  readonly title?: string
  /**
   * True if the content is about the whole response and not about a selection. In a narrow window
   * it is shown only when the user opens the inspector.
   */
  readonly isAmbient?: boolean
  /**
   * True for the text of a whole response beside a table that needs the room. Only a very wide
   * window has room for it before the user asks.
   */
  readonly isSource?: boolean
}

/** The open overlay and the content of the inspector. */
export const useUi = defineStore('ui', () => {
  const inspector = shallowRef<InspectorContent | null>(null)
  const overlay = shallowRef<'palette' | 'shortcuts' | null>(null)
  /** True if the user opened the inspector in a narrow window, where it does not open by itself. */
  const isInspectorRequested = shallowRef(false)
  /** True while the pane is in the window. */
  const isInspectorShown = shallowRef(false)
  /** The content of each owner, the latest last. */
  const contents = new Map<symbol, InspectorContent>()

  /** Shows an owner's content until another owner has some. Null removes it. */
  function showInspector(key: symbol, content: InspectorContent | null): void {
    contents.delete(key)
    if (content !== null) contents.set(key, content)
    inspector.value = [...contents.values()].at(-1) ?? null
  }

  /** The content of the previous owner is visible again. */
  const releaseInspector = (key: symbol): void => showInspector(key, null)

  return { inspector, isInspectorRequested, isInspectorShown, overlay, showInspector, releaseInspector }
})

/** Hides the inspector if it is in the window, and opens it otherwise. */
export function useInspectorToggle(): () => void {
  const ui = useUi()
  const settings = useSettings()
  return () => {
    const isInspectorOpen = !ui.isInspectorShown
    ui.isInspectorRequested = isInspectorOpen
    settings.update({ inspectorOpen: isInspectorOpen })
  }
}

/**
 * Shows the result of `content` in the inspector while the calling component lives, and updates it
 * whenever its dependencies change. Null means that nothing is selected.
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
