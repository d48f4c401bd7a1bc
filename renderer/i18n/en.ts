import type { LocaleMessages } from './index.ts'

/** The texts of this language, a file for each namespace. */
export const messageFiles = import.meta.glob<LocaleMessages>('./locales/en/*.json', { eager: true, import: 'default' })
