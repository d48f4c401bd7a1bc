/** The full-width space counts too. Each is as far from its plain form as the others. */
const FULL_WIDTH_PATTERN = /[\u3000\uff01-\uff5e]/g
const FULL_WIDTH_OFFSET = 0xfee0

/**
 * Folds a text for filters: lower case, plain forms instead of full-width ones. The length stays
 * the same, so that offsets in it are offsets in the original; the dotted capital I, whose lower
 * case is longer, therefore becomes a plain i. A final sigma becomes an ordinary one, so that the
 * start of a word finds the word.
 */
export const foldText = (text: string): string =>
  text.replace(FULL_WIDTH_PATTERN, toPlainChar).replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ')

const toPlainChar = (char: string): string =>
  char === '\u3000' ? ' ' : String.fromCharCode(char.charCodeAt(0) - FULL_WIDTH_OFFSET)
