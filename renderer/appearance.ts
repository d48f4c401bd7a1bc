import { computed, watch } from 'vue'
import { setLocale, pickSystemLocale, type AppLocale, type Translator } from './i18n/index.ts'
import { loadLocale } from './i18n/locale-loader.ts'
import { useSettings } from './stores/settings.ts'

/** The language to begin with: the one whoever sent the page has written into it, or the system's. */
export function detectInitialLocale(): AppLocale {
  const set = document.documentElement.dataset['locale']
  return set === 'en' || set === 'zh-CN' ? set : pickSystemLocale(navigator.languages)
}

/**
 * Applies theme, density and language to the document as settings change; at the first paint it has what was set when it was sent. Resolves
 * once the texts of the language are there; rejects if they can't be had.
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
  let wanted = locale.value
  async function speak(next: AppLocale): Promise<void> {
    wanted = next
    await loadLocale(translator, next)
    // Another language may have been chosen meanwhile.
    if (wanted === next) setLocale(translator, next)
  }
  watch(locale, (next) => void speak(next))
  return speak(locale.value)
}
