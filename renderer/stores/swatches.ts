import { defineStore } from './define-store.ts'
import { computed, effectScope, markRaw, watch } from 'vue'
import type { Palette, PaletteColor } from '../../shared/bridge/resources/study-sets.ts'
import { useConnection } from './connection.ts'
import { readEndpoint, type HostResponse } from './host-read.ts'
import { useResource, type Resource } from './resource.ts'

/** There is one palette per study set, and users view few study sets. */
const MAX_PALETTES = 50

interface CachedPalette {
  readonly resource: Resource<HostResponse<Palette>>
  readonly stop: () => void
}

/** The palettes of study sets. Each is read once per epoch, however many cards need a color. */
const usePalettes = defineStore('swatches', () => {
  const connection = useConnection()
  const rootScope = effectScope(true)
  const cachedPalettes = markRaw(new Map<string, CachedPalette>())

  function paletteOf(topicid: string): Resource<HostResponse<Palette>> {
    const cached = cachedPalettes.get(topicid)
    if (cached) return cached.resource
    const scope = rootScope.run(() => effectScope()) ?? effectScope()
    const resource = scope.run(() =>
      useResource<HostResponse<Palette>>(
        (signal) => readEndpoint('studySets.palette', { params: { topicid } }, { signal }),
        ({ meta }) => ({ readAt: meta.receivedAt, epoch: meta.epoch }),
        { getShownRead: () => ({ endpoint: 'studySets.palette', params: { topicid } }), isRetained: true },
      ),
    )
    if (!resource) throw new Error('a scope that has ended')
    cachedPalettes.set(topicid, { resource, stop: () => scope.stop() })
    const [oldest] = cachedPalettes
    if (cachedPalettes.size > MAX_PALETTES && oldest) {
      oldest[1].stop()
      cachedPalettes.delete(oldest[0])
    }
    return resource
  }

  watch(
    () => connection.state.profile?.id,
    () => {
      for (const { resource } of cachedPalettes.values()) resource.reset()
    },
    // The watcher is synchronous, so that it runs before data of the new host are read.
    { flush: 'sync' },
  )

  return { paletteOf }
})

/** The palette of a study set is read at the first use, and after an interruption. */
export function useSwatches(topicid: () => string | null) {
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
      if (palette.data === null || palette.isStale) void palette.reload()
    },
    { immediate: true },
  )
  watch(resource, (palette, _before, onCleanup) => palette && onCleanup(palette.addViewer()), { immediate: true })
  /** All colors in the host's order. */
  const colors = computed(() => resource.value?.data?.value.colors ?? [])
  return {
    colors,
    /** The color of a level; null if the color or the palette is unknown. */
    colorOf: (level: number | null): PaletteColor | null =>
      colors.value.find(({ colorIndex }) => colorIndex === level) ?? null,
    failed: computed(() => resource.value?.status === 'failed'),
  }
}
