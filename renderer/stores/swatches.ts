import { defineStore } from 'pinia'
import { computed, effectScope, markRaw, watch, type ComputedRef } from 'vue'
import type { Palette, PaletteColor } from '../../shared/bridge/resources/study-sets.ts'
import { useConnection } from './connection.ts'
import { readEndpoint, type HostResponse } from './host-read.ts'
import { useResource, type Resource } from './resource.ts'

/** Palettes kept: one per study set, and few are viewed. */
const MAX_PALETTES = 50

interface CachedPalette {
  readonly resource: Resource<HostResponse<Palette>>
  readonly stop: () => void
}

/** The palettes of study sets, each read once per epoch however many cards ask for a color. */
const usePalettes = defineStore('swatches', () => {
  const connection = useConnection()
  const home = effectScope(true)
  const kept = markRaw(new Map<string, CachedPalette>())

  function paletteOf(topicid: string): Resource<HostResponse<Palette>> {
    const known = kept.get(topicid)
    if (known) return known.resource
    const own = home.run(() => effectScope()) ?? effectScope()
    const resource = own.run(() =>
      useResource<HostResponse<Palette>>(
        (signal) => readEndpoint('studySets.palette', { params: { topicid } }, { signal }),
        ({ meta }) => ({ readAt: meta.receivedAt, epoch: meta.epoch }),
        { getShownRead: () => ({ endpoint: 'studySets.palette', params: { topicid } }), isRetained: true },
      ),
    )
    if (!resource) throw new Error('a scope that has ended')
    kept.set(topicid, { resource, stop: () => own.stop() })
    const [oldest] = kept
    if (kept.size > MAX_PALETTES && oldest) {
      oldest[1].stop()
      kept.delete(oldest[0])
    }
    return resource
  }

  watch(
    () => connection.state.profile?.id,
    () => {
      for (const { resource } of kept.values()) resource.reset()
    },
    // Before anything is read of the new host.
    { flush: 'sync' },
  )

  return { paletteOf }
})

interface Swatches {
  /** The color of a level in this study set; null while, or if, it is unknown. */
  colorOf(level: number | null): PaletteColor | null
  /** All its colors, in the host's order. */
  readonly colors: ComputedRef<readonly PaletteColor[]>
  readonly failed: ComputedRef<boolean>
}

/** The colors of a study set's cards. Reads the palette when first asked for one, and again after an interruption. */
export function useSwatches(topicid: () => string | null): Swatches {
  const palettes = usePalettes()
  const connection = useConnection()
  const resource = computed(() => {
    const id = topicid()
    return id === null || id === '' ? null : palettes.paletteOf(id)
  })
  watch(
    () => [resource.value, connection.online, connection.epoch] as const,
    ([palette, online]) => {
      if (!palette || !online || palette.status === 'loading') return
      if (palette.data === null || palette.stale) void palette.reload()
    },
    { immediate: true },
  )
  watch(resource, (palette, _before, onCleanup) => palette && onCleanup(palette.addViewer()), { immediate: true })
  const colors = computed(() => resource.value?.data?.value.colors ?? [])
  return {
    colors,
    colorOf: (level) => colors.value.find(({ colorIndex }) => colorIndex === level) ?? null,
    failed: computed(() => resource.value?.status === 'failed'),
  }
}
