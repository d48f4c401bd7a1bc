import { computed, watch } from 'vue'
import { setLocale, pickSystemLocale, type AppLocale, type Translator } from './i18n/index.ts'
import { loadLocale } from './i18n/locale-loader.ts'
import { useSettings } from './stores/settings.ts'

/** Returns the language that the server wrote into the page or, without one, the system's. */
export function detectInitialLocale(): AppLocale {
  const presetLocale = document.documentElement.dataset['locale']
  return presetLocale === 'en' || presetLocale === 'zh-CN' ? presetLocale : pickSystemLocale(navigator.languages)
}

/**
 * Applies theme, density and language to the document whenever settings change. The first paint
 * uses the settings that the server has written into the page. Resolves once the texts of the
 * language are loaded; rejects if they cannot be loaded.
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
    // The user may have chosen a different language while the texts were loading.
    if (latestLocale === next) setLocale(translator, next)
  }
  watch(locale, (next) => void switchLocale(next))
  return switchLocale(locale.value)
}
