export { escapeUnseen as printable } from '../../shared/format/invisible.ts'

/** Foreign text in one line of output. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
