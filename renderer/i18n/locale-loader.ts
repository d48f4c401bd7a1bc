import type { AppLocale, LocaleMessages, Translator } from './index.ts'

/** Each language is a chunk of its own, since hardly anyone needs both. */
const localeLoaders: Readonly<
  Record<AppLocale, () => Promise<{ readonly messageFiles: Record<string, LocaleMessages> }>>
> = {
  en: () => import('./en.ts'),
  'zh-CN': () => import('./zh-CN.ts'),
}

/**
 * Loads the texts of a language into the translator, unless it has them. Rejects if the page's
 * files cannot be reached.
 */
export async function loadLocale(translator: Translator, locale: AppLocale): Promise<void> {
  if (Object.keys(translator.global.getLocaleMessage(locale)).length > 0) return
  const { messageFiles: files } = await localeLoaders[locale]()
  addMessages(translator, locale, files)
}

/** Adds texts that are already loaded. */
export function addMessages(translator: Translator, locale: AppLocale, files: Record<string, LocaleMessages>): void {
  translator.global.setLocaleMessage(locale, Object.assign({}, ...Object.values(files)) as LocaleMessages)
}
