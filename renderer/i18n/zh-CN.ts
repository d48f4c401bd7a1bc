import type { Messages } from './index.ts'

/** The texts of this language, a file for each namespace. */
export const files = import.meta.glob<Messages>('./locales/zh-CN/*.json', { eager: true, import: 'default' })
