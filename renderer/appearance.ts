import { computed, watch } from 'vue'
import { setLocale, pickSystemLocale, type AppLocale, type Translator } from './i18n/index.ts'
import { loadLocale } from './i18n/locale-loader.ts'
import { useSettings } from './stores/settings.ts'

/**
 * The initial language: the one that the sender of the page has written into it, or the system's.
 */
export function detectInitialLocale(): AppLocale {
  const presetLocale = document.documentElement.dataset['locale']
  return presetLocale === 'en' || presetLocale === 'zh-CN' ? presetLocale : pickSystemLocale(navigator.languages)
}

/**
 * Applies theme, density and language to the document as settings change; at the first paint it has
 * the settings of the time it was sent. Resolves once the texts of the language are loaded; rejects
 * if they cannot be loaded.
 */
export function applyAppearanceSettings(translator: Translator): Promise<void> {
  const settings = useSettings()
  const root = document.documentElement
  const locale = computed(() =>
    settings.values.locale === 'system' ? pickSystemLocale(settings.systemLanguages) : settings.values.locale,
  )
  watch(
    () => ({ theme: settings.theme, density: settings.values.density }),
    ({ theme, density }) => {
      root.dataset['theme'] = theme
      root.dataset['density'] = density
    },
    { immediate: true },
  )
  let latestLocale = locale.value
  async function switchLocale(next: AppLocale): Promise<void> {
    latestLocale = next
    await loadLocale(translator, next)
    // Another language may have been chosen meanwhile.
    if (latestLocale === next) setLocale(translator, next)
  }
  watch(locale, (next) => void switchLocale(next))
  return switchLocale(locale.value)
}
