import { createPinia } from 'pinia'
import { createApp } from 'vue'
import { z } from 'zod'
import App from './App.vue'
import { detectInitialLocale, applyAppearanceSettings } from './appearance.ts'
import { installFaultHandlers } from './fault-handlers.ts'
import { createTranslator } from './i18n/index.ts'
import { loadLocale } from './i18n/locale-loader.ts'
import { router } from './router.ts'
import { syncDocumentTitle, preloadAddress, preloadLikelyPlaces, openStartPlace } from './startup.ts'
import { useApp } from './stores/app.ts'
import { useConnection } from './stores/connection.ts'
import { reportFault } from './stores/page-faults.ts'
import { useNotices } from './stores/notices.ts'
import { useProfiles } from './stores/profiles.ts'
import { useSettings } from './stores/settings.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/utilities.css'
import './styles/widgets.css'
import './styles/forced-colors.css'

// The page's CSP has no unsafe-eval, so zod must not compile its schemas.
z.config({ jitless: true })

const initialLocale = detectInitialLocale()
const translator = createTranslator(initialLocale)
// The texts load while the stores read their settings.
const textsLoading = loadLocale(translator, initialLocale)
const app = createApp(App)
installFaultHandlers(app)
app.use(createPinia())
app.use(translator)

/** A store that cannot load keeps its defaults; the shell reports that the service is silent. */
async function start(): Promise<void> {
  const appStore = useApp()
  const storesLoading = [useSettings().start(), useConnection().start(), useProfiles().start(), appStore.load()]
  preloadAddress()
  await Promise.allSettled([textsLoading, ...storesLoading])
  await applyAppearanceSettings(translator).catch((error: unknown) => reportFault('script', error, 'start'))
  useNotices().start(appStore.info?.notices ?? [])
  // The router is added after the stores are ready, because resolving the first address needs them.
  app.use(router)
  const startPlaceOpening = openStartPlace()
  // The code of the page is loading; the shell need not wait for it.
  await new Promise((resolve) => setTimeout(resolve))
  app.mount('#app')
  await startPlaceOpening
  syncDocumentTitle(translator)
  preloadLikelyPlaces(translator)
}

void start()
