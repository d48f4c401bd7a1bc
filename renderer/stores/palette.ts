import { defineStore } from './define-store.ts'
import { onScopeDispose, shallowRef } from 'vue'

export interface PaletteItem {
  readonly id: string
  /** The translated title, or a title from the host. */
  readonly title: string
  /** Secondary text, such as an id or a count. */
  readonly detail?: string
  readonly keys?: string
  /** Reason why the item cannot be chosen, shown instead of `detail`. */
  readonly unavailableReason?: string
  readonly run: () => void
}

/** A source is queried whenever the palette opens, so a source should not wait for a host. */
interface PaletteSource {
  readonly id: string
  /** Translation key of the heading above the items. */
  readonly titleKey: string
  items(): readonly PaletteItem[] | Promise<readonly PaletteItem[]>
  /** Finds further items, which are too many to list. The text is trimmed and not empty. */
  find?(query: string): Promise<readonly PaletteItem[]>
}

/** Sources of items besides pages and actions. */
export const usePaletteSources = defineStore('palette', () => {
  const sources = shallowRef<readonly PaletteSource[]>([])

  function register(source: PaletteSource): () => void {
    sources.value = [...sources.value.filter(({ id }) => id !== source.id), source]
    return () => {
      sources.value = sources.value.filter((other) => other !== source)
    }
  }

  return { sources, register }
})

/** Registers a source until the calling component is removed. */
export function usePaletteSource(source: PaletteSource): void {
  onScopeDispose(usePaletteSources().register(source))
}
