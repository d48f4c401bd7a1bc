import type { AppLocale, LocaleMessages, Translator } from './index.ts'

/** Each language is a separate chunk, because most users need only one. */
const localeLoaders: Readonly<
  Record<AppLocale, () => Promise<{ readonly messageFiles: Record<string, LocaleMessages> }>>
> = {
  en: () => import('./en.ts'),
  'zh-CN': () => import('./zh-CN.ts'),
}

type MessageStore = Pick<Translator['global'], 'getLocaleMessage' | 'setLocaleMessage'>

/** Does nothing if the texts are loaded already. Rejects if the page's files cannot be reached. */
export async function loadLocale(translator: { readonly global: MessageStore }, locale: AppLocale): Promise<void> {
  if (Object.keys(translator.global.getLocaleMessage(locale)).length > 0) return
  const { messageFiles: files } = await localeLoaders[locale]()
  addMessages(translator, locale, files)
}

export function addMessages(
  translator: { readonly global: MessageStore },
  locale: AppLocale,
  files: Record<string, LocaleMessages>,
): void {
  translator.global.setLocaleMessage(locale, Object.assign({}, ...Object.values(files)) as LocaleMessages)
}
