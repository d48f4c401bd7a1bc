import { whenever } from '@vueuse/core'
import { watch, watchEffect } from 'vue'
import { warmUpFormatters, type Translator } from './i18n/index.ts'
import { isRestorableRoute, isPlacePath, router } from './router.ts'
import { useApp } from './stores/app.ts'
import { useConnection } from './stores/connection.ts'
import { useProfiles } from './stores/profiles.ts'
import { useSettings } from './stores/settings.ts'
import { prewarmTreeWorker } from './workers/tree-client.ts'

/** Where an address without a place leads: the last place, or Connect if there is none to return to. */
function getStartPath(): string {
  const connection = useConnection()
  const profiles = useProfiles()
  const { lastPlace } = useSettings().values
  const connected = connection.state.phase !== 'none'
  if (!connected && profiles.list.length === 0) return '/connect'
  if (isPlacePath(lastPlace)) return lastPlace
  return connected ? '/library' : '/connect'
}

/** Opens the place the address names, or the start place; from then on the current place is remembered. */
export async function openStartPlace(): Promise<void> {
  const settings = useSettings()
  await router.isReady()
  if (router.currentRoute.value.name === 'start') {
    const place = useApp().info?.opensPanel === true && isPlacePath('/panel') ? '/panel' : getStartPath()
    await router.replace(isPlacePath(place) ? place : '/settings')
  }
  watch(
    router.currentRoute,
    (route) => {
      if (isRestorableRoute(route) && route.fullPath !== settings.values.lastPlace) {
        settings.update({ lastPlace: route.fullPath.slice(0, 2000) })
      }
    },
    { immediate: true },
  )
}

/** Where most people go from the library, and where they look for what was asked: the code is there before they are. */
const PRELOADED_PLACES = ['tree', 'traffic']

/** Once there is a host and the page rests, gets ready what is likely to be opened next. */
export function preloadLikelyPlaces(translator: Translator): void {
  const connection = useConnection()
  // Without a host there is no tree to open, and a worker that waits for one takes room.
  whenever(
    () => connection.state.phase !== 'none',
    () => preloadWhenIdle(translator),
    { immediate: true, once: true },
  )
}

function preloadWhenIdle(translator: Translator): void {
  requestIdleCallback(
    () => {
      prewarmTreeWorker()
      for (const next of PRELOADED_PLACES) {
        const load: unknown = router.getRoutes().find(({ name }) => name === next)?.components?.['default']
        // A place that is open already is no longer a function that loads it. If it fails, opening the place says so.
        if (typeof load === 'function') void Promise.resolve(Reflect.apply(load, undefined, [])).catch(() => undefined)
      }
      warmUpFormatters(translator, requestIdleCallback)
    },
    { timeout: 5_000 },
  )
}

/** Keeps the window's title at the place's name and the app's. */
export function syncDocumentTitle(translator: Translator): void {
  const { t } = translator.global
  watchEffect(() => {
    const { titleKey } = router.currentRoute.value.meta
    document.title = titleKey ? `${t(titleKey)} – Bridge Inspector` : 'Bridge Inspector'
  })
}
