import { computed, watch } from 'vue'
import { setLocale, systemLocale, type Translator } from './i18n/index.ts'
import { useSettings } from './stores/settings.ts'

/** Applies theme, density and language to the document as settings change; at the first paint it has what was set when it was sent. */
export function followAppearance(translator: Translator): void {
  const settings = useSettings()
  const root = document.documentElement
  const locale = computed(() =>
    settings.values.locale === 'system' ? systemLocale(settings.systemLanguages) : settings.values.locale,
  )
  watch(
    () => ({ theme: settings.theme, density: settings.values.density }),
    ({ theme, density }) => {
      root.dataset['theme'] = theme
      root.dataset['density'] = density
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
