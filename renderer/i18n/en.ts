import type { LocaleMessages } from './index.ts'

/** Each namespace has a file of its own. */
export const messageFiles = import.meta.glob<LocaleMessages>('./locales/en/*.json', { eager: true, import: 'default' })
