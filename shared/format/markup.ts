/**
 * Matches cells that a spreadsheet may read as a formula or split: those that begin with a formula
 * character (also full-width, or after white space or invisible characters), a tab or a line break.
 */
export const formulaPattern = /^(?:[\s\0\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n])/u

/** Escapes what would act as Markdown in a cell, on one line; also what would become a link. */
export const toMarkdownCell = (text: string): string =>
  text
    .replace(/[\\|<>[\]_*`~&]/g, '\\$&')
    .replace(/:(?=\/\/)|(?<=\bwww)\./gi, '\\$&')
    .replace(/\s+/g, ' ')
