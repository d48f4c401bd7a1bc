import { whenever } from '@vueuse/core'
import { watch, watchEffect } from 'vue'
import type { RouteRecord } from 'vue-router'
import { warmUpFormatters, type Translator } from './i18n/index.ts'
import { isRestorableRoute, isPlacePath, router } from './router.ts'
import { observeNavigations } from './panes/late-navigation.ts'
import { useApp } from './stores/app.ts'
import { useConnection } from './stores/connection.ts'
import { useProfiles } from './stores/profiles.ts'
import { readOpenedRecording } from './stores/recordings.ts'
import { useSettings } from './stores/settings.ts'
import { prepareListingAccess } from './stores/tree-pages.ts'
import { prewarmTreeWorker } from './workers/tree-client.ts'

/** Returns the path of the last page, or of the page Connect if there is no last page. */
function getStartPath(): string {
  const { lastPlace } = useSettings().values
  const isConnected = useConnection().state.phase !== 'none'
  if (!isConnected && useProfiles().list.length === 0) return '/connect'
  if (isPlacePath(lastPlace)) return lastPlace
  return isConnected ? '/library' : '/connect'
}

/** Opens the page of the address, or the start page. From then on the current page is stored. */
export async function openStartPlace(): Promise<void> {
  const settings = useSettings()
  // Until its first navigation has ended, the router does not listen to the address.
  const followAddress = (): void => void router.replace(location.hash.slice(1))
  addEventListener('hashchange', followAddress)
  await router.isReady().finally(() => removeEventListener('hashchange', followAddress))
  if (router.currentRoute.value.name === 'start') {
    const { opensPanel = false, recording = null } = useApp().info ?? {}
    const { begunCount } = observeNavigations(router)
    // It may have been closed meanwhile.
    const entry = recording && (await readOpenedRecording())
    const reportPath = entry && `/recordings/${encodeURIComponent(entry.id)}`
    const place = opensPanel && isPlacePath('/panel') ? '/panel' : (reportPath ?? getStartPath())
    if (observeNavigations(router).begunCount === begunCount)
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

/** Requests the code and the first data of the address, beside what the shell needs. */
export function preloadAddress(): void {
  const route = router.resolve(location.hash.slice(1) || '/')
  route.meta.prefetch?.(route)
  preloadCode(route.matched[0])
}

function preloadCode(route: RouteRecord | undefined): void {
  const load: unknown = route?.components?.['default']
  // Once a page was opened, `load` is no function. A failure is reported on opening it.
  if (typeof load === 'function') void Promise.resolve(Reflect.apply(load, undefined, [])).catch(() => undefined)
}

/** Users often open the tree after the library. They also often open the traffic page. */
const PRELOADED_PLACES = ['tree', 'traffic']

/** Loads their code once a host is connected and the browser is idle. */
export function preloadLikelyPlaces(translator: Translator): void {
  // Without a host there is no tree to open, and an idle worker needs memory.
  whenever(
    () => useConnection().state.phase !== 'none',
    () => preloadWhenIdle(translator),
    { immediate: true, once: true },
  )
}

function preloadWhenIdle(translator: Translator): void {
  requestIdleCallback(
    () => {
      prewarmTreeWorker()
      void prepareListingAccess()
      void import('./shell/palette-search.ts').catch(() => undefined)
      for (const placeName of PRELOADED_PLACES) preloadCode(router.getRoutes().find(({ name }) => name === placeName))
      warmUpFormatters(translator, requestIdleCallback)
    },
    { timeout: 5_000 },
  )
}

/** Keeps the title of the window up to date: the names of the page and of the app. */
export function syncDocumentTitle(translator: Translator): void {
  const { t } = translator.global
  watchEffect(() => {
    const { titleKey } = router.currentRoute.value.meta
    document.title = titleKey ? `${t(titleKey)} – Bridge Inspector` : 'Bridge Inspector'
  })
}
