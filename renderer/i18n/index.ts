// Languages of the page: plural forms and formats. The texts are in `locales`. Read this file
// first, then locale-loader.ts.

import { createI18n } from 'vue-i18n'

export type AppLocale = 'en' | 'zh-CN'

/** Texts of one language by namespace. */
export type LocaleMessages = Record<string, Record<string, unknown>>

const numbers = {
  decimal: { style: 'decimal' },
  percent: { style: 'percent', maximumFractionDigits: 0 },
  bytes: { style: 'decimal', maximumFractionDigits: 1 },
} as const

const dates = {
  time: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  seconds: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  tenths: {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 1,
    hourCycle: 'h23',
  },
  day: { year: 'numeric', month: 'short', day: 'numeric' },
  short: { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  exact: {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
  },
} as const

/** Returns the first supported language in the system's list, or English if the list has none. */
export function pickSystemLocale(languages: readonly string[]): AppLocale {
  for (const language of languages) {
    const lower = language.toLowerCase()
    if (lower.startsWith('zh')) return 'zh-CN'
    if (lower.startsWith('en')) return 'en'
  }
  return 'en'
}

/**
 * Returns the index of the plural form for a number. The first of two forms is for one; the first
 * of three is for zero. A fraction takes the last form, because the rule of vue-i18n finds none and
 * throws.
 */
export function getPluralFormIndex(count: number, forms: number): number {
  const last = forms - 1
  if (forms === 2) return Math.abs(count) === 1 ? 0 : last
  return Number.isInteger(count) ? Math.min(Math.abs(count), last) : last
}

/** Creates a translator without texts (see `locale-loader.ts`). A page has a single one. */
export function createTranslator(locale: AppLocale) {
  const noMessages: Record<AppLocale, LocaleMessages> = { en: {}, 'zh-CN': {} }
  const translator = createI18n({
    legacy: false,
    locale,
    fallbackLocale: 'en',
    messages: noMessages,
    numberFormats: { en: numbers, 'zh-CN': numbers },
    datetimeFormats: { en: dates, 'zh-CN': dates },
    pluralRules: { en: getPluralFormIndex, 'zh-CN': getPluralFormIndex },
    missingWarn: import.meta.env.DEV,
    fallbackWarn: false,
  })
  // Without a format name, vue-i18n creates a formatter for every number, which is slow.
  translator.global.n = new Proxy(translator.global.n, {
    apply(format, self, args: unknown[]): unknown {
      return Reflect.apply(format, self, args.length === 1 ? [args[0], 'decimal'] : args)
    },
  })
  return translator
}

export type Translator = ReturnType<typeof createTranslator>

/** Uses each format once while the browser is idle: a first use takes milliseconds. */
export function warmUpFormatters({ global }: Translator, requestIdle: (work: IdleRequestCallback) => unknown): void {
  const remaining = [
    ...Object.keys(numbers).map((name) => () => void global.n(0, name)),
    ...Object.keys(dates).map((name) => () => void global.d(0, name)),
  ]
  const useSome: IdleRequestCallback = (time) => {
    do remaining.pop()?.()
    while (remaining.length > 0 && time.timeRemaining() > 10)
    if (remaining.length > 0) requestIdle(useSome)
  }
  requestIdle(useSome)
}

/** Sets the language of texts and document; the texts of the language must be loaded. */
export function setLocale(translator: Translator, locale: AppLocale): void {
  translator.global.locale.value = locale
  document.documentElement.lang = locale
}
