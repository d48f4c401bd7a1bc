import { defineStore } from 'pinia'
import { onScopeDispose, shallowRef } from 'vue'

/** One choice in the command palette. */
export interface PaletteItem {
  readonly id: string
  /** Already translated, or the host's own title. */
  readonly title: string
  /** Secondary text: an id, a count. */
  readonly detail?: string
  readonly keys?: string
  /** Why the item cannot be chosen; shown in place of `detail`. */
  readonly unavailableReason?: string
  readonly run: () => void
}

/**
 * A source of items. It is queried each time the palette opens, so it should not wait for a host.
 */
interface PaletteSource {
  readonly id: string
  /** Translation key of the heading of its items. */
  readonly titleKey: string
  items(): readonly PaletteItem[] | Promise<readonly PaletteItem[]>
}

/** Sources that places add to the palette, in addition to places and actions. */
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

/** Adds a source while the calling component lives. */
export function usePaletteSource(source: PaletteSource): void {
  onScopeDispose(usePaletteSources().register(source))
}
