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
  /** Why it cannot be chosen; shown in place of `detail`. */
  readonly unavailableReason?: string
  readonly run: () => void
}

/** A source of items: queried each time the palette opens, so what it returns should be at hand. */
interface PaletteSource {
  readonly id: string
  /** Heading of its items. */
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

/** Adds a source for as long as the calling component lives. */
export function usePaletteSource(source: PaletteSource): void {
  onScopeDispose(usePaletteSources().register(source))
}
