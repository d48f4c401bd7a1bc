import { createPinia } from 'pinia'
import { createApp } from 'vue'
import { z } from 'zod'
import App from './App.vue'
import { detectInitialLocale, applyAppearanceSettings } from './appearance.ts'
import { installFaultHandlers } from './fault-handlers.ts'
import { createTranslator } from './i18n/index.ts'
import { loadLocale } from './i18n/locale-loader.ts'
import { router } from './router.ts'
import { syncDocumentTitle, preloadLikelyPlaces, openStartPlace } from './startup.ts'
import { useApp } from './stores/app.ts'
import { useConnection } from './stores/connection.ts'
import { reportFault } from './stores/page-faults.ts'
import { useNotices } from './stores/notices.ts'
import { useProfiles } from './stores/profiles.ts'
import { useSettings } from './stores/settings.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/widgets.css'
import './styles/forced-colors.css'

// The page's CSP has no unsafe-eval, so zod must not try to compile its schemas.
z.config({ jitless: true })

const first = detectInitialLocale()
const translator = createTranslator(first)
// On its way while the stores ask for what is set.
const texts = loadLocale(translator, first)
const app = createApp(App)
installFaultHandlers(app)
app.use(createPinia())
app.use(translator)

/** A store that can't load keeps its defaults; the shell reports that the service process doesn't respond. */
async function start(): Promise<void> {
  const settings = useSettings()
  const info = useApp()
  await Promise.allSettled([texts, settings.start(), useConnection().start(), useProfiles().start(), info.load()])
  await applyAppearanceSettings(translator).catch((error: unknown) => reportFault('script', error, 'start'))
  useNotices().start(info.info?.notices ?? [])
  // Only now, so that the first address resolves with the stores ready.
  app.use(router)
  const opened = openStartPlace()
  // The place's code is on its way; the shell need not wait for it.
  await new Promise((resolve) => setTimeout(resolve))
  app.mount('#app')
  await opened
  syncDocumentTitle(translator)
  preloadLikelyPlaces(translator)
}

void start()
