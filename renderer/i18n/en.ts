import type { LocaleMessages } from './index.ts'

/** The texts of this language, one file per namespace. */
export const messageFiles = import.meta.glob<LocaleMessages>('./locales/en/*.json', { eager: true, import: 'default' })
