import { defineStore } from './define-store.ts'
import { useMediaQuery } from '@vueuse/core'
import { onScopeDispose, shallowRef, watchEffect, type Component, type Ref } from 'vue'
import { useSettings } from './settings.ts'

interface InspectorContent {
  readonly component: Component
  readonly props?: Readonly<Record<string, unknown>>
  /** The translated title, or the title of a card. */
  readonly title?: string
  /** True for content about the whole response: a narrow window shows it only on request. */
  readonly isAmbient?: boolean
  /** True for a response's text beside a table: shown unasked only in a very wide window. */
  readonly isSource?: boolean
}

/** True if what a list's row is about has room beside the list, also before one is selected. */
export function useIsWideWindow(): Readonly<Ref<boolean>> {
  return useMediaQuery('(width >= 1800px)')
}

export const useUi = defineStore('ui', () => {
  const inspector = shallowRef<InspectorContent | null>(null)
  /** True if a list is shown, and none of its rows is selected. */
  const awaitsSelection = shallowRef(false)
  const overlay = shallowRef<'palette' | 'shortcuts' | null>(null)
  /** True if the user opened the inspector in a narrow window, where it does not open by itself. */
  const isInspectorRequested = shallowRef(false)
  /** True while the pane is in the window. */
  const isInspectorShown = shallowRef(false)
  /** The content of each owner, the latest last. */
  const contents = new Map<symbol, InspectorContent | null>()

  /** Shows an owner's content until another owner has some. Null waits for a selection. */
  function showInspector(key: symbol, content: InspectorContent | null | undefined): void {
    contents.delete(key)
    if (content !== undefined) contents.set(key, content)
    inspector.value = [...contents.values()].findLast((other) => other !== null) ?? null
    awaitsSelection.value = contents.size > 0 && inspector.value === null
  }

  /** The content of the previous owner is visible again. */
  const releaseInspector = (key: symbol): void => showInspector(key, undefined)

  return {
    inspector,
    awaitsSelection,
    isInspectorRequested,
    isInspectorShown,
    overlay,
    showInspector,
    releaseInspector,
  }
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

/** Lets the inspector of a list wait for a selection, unless the list has no row to select. */
export function awaitSelection(rows: readonly unknown[]): null | undefined {
  return rows.length > 0 ? null : undefined
}

/** Shows what `content` returns while the calling component lives. Null waits for a selection. */
export function useInspector(content: () => InspectorContent | null | undefined): void {
  const ui = useUi()
  const key = Symbol('inspector')
  watchEffect(() => {
    ui.showInspector(key, content())
  })
  onScopeDispose(() => {
    ui.releaseInspector(key)
  })
}
