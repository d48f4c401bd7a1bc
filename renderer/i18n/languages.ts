import type { AppLocale, Messages, Translator } from './index.ts'

/** Each language is a chunk of its own, since hardly anyone needs both. */
const languages: Readonly<Record<AppLocale, () => Promise<{ readonly files: Record<string, Messages> }>>> = {
  en: () => import('./en.ts'),
  'zh-CN': () => import('./zh-CN.ts'),
}

/** Gives the translator the texts of a language, unless it has them. Rejects if the page's files can't be reached. */
export async function addLanguage(translator: Translator, locale: AppLocale): Promise<void> {
  if (Object.keys(translator.global.getLocaleMessage(locale)).length > 0) return
  const { files } = await languages[locale]()
  addTexts(translator, locale, files)
}

/** The same with the texts at hand. */
export function addTexts(translator: Translator, locale: AppLocale, files: Record<string, Messages>): void {
  translator.global.setLocaleMessage(locale, Object.assign({}, ...Object.values(files)) as Messages)
}
