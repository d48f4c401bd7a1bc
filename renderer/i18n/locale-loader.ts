import type { AppLocale, LocaleMessages, Translator } from './index.ts'

/** Each language is a chunk of its own, since hardly anyone needs both. */
const localeLoaders: Readonly<
  Record<AppLocale, () => Promise<{ readonly messageFiles: Record<string, LocaleMessages> }>>
> = {
  en: () => import('./en.ts'),
  'zh-CN': () => import('./zh-CN.ts'),
}

/** Gives the translator the texts of a language, unless it has them. Rejects if the page's files can't be reached. */
export async function loadLocale(translator: Translator, locale: AppLocale): Promise<void> {
  if (Object.keys(translator.global.getLocaleMessage(locale)).length > 0) return
  const { messageFiles: files } = await localeLoaders[locale]()
  addMessages(translator, locale, files)
}

/** The same with the texts at hand. */
export function addMessages(translator: Translator, locale: AppLocale, files: Record<string, LocaleMessages>): void {
  translator.global.setLocaleMessage(locale, Object.assign({}, ...Object.values(files)) as LocaleMessages)
}
