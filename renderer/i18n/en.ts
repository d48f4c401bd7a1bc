import type { Messages } from './index.ts'

/** The texts of this language, a file for each namespace. */
export const files = import.meta.glob<Messages>('./locales/en/*.json', { eager: true, import: 'default' })
