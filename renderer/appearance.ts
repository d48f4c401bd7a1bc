import { computed, watch } from 'vue'
import { setLocale, systemLocale, type Translator } from './i18n/index.ts'
import { useSettings } from './stores/settings.ts'

const HINT_KEY = 'bridge-inspector.first-paint'

/** Applies theme, density and language to the document as settings change; `first-paint.js` reads the hint on the next start. */
export function followAppearance(translator: Translator): void {
  const settings = useSettings()
  const root = document.documentElement
  const locale = computed(() =>
    settings.values.locale === 'system' ? systemLocale(settings.systemLanguages) : settings.values.locale,
  )
  watch(
    () => ({ theme: settings.theme, set: settings.values.theme, density: settings.values.density }),
    ({ theme, set, density }) => {
      root.dataset['theme'] = theme
      root.dataset['density'] = density
      try {
        localStorage.setItem(HINT_KEY, JSON.stringify({ theme: set, density }))
      } catch {
        // Without storage, the next start follows the system until the settings are loaded.
      }
    },
    { immediate: true },
  )
  watch(
    locale,
    (next) => {
      setLocale(translator, next)
    },
    { immediate: true },
  )
}
