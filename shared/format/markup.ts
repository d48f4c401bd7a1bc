import { escapeInvisible } from './invisible-characters.ts'

/**
 * Matches cells that a spreadsheet may read as a formula or split: those that begin with a formula
 * character (also full-width, or after white space or invisible characters), a tab or a line break.
 */
export const formulaPattern = /^(?:[\s\0\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n])/u

/** Escapes what would act as Markdown in a cell, on one line; also what would become a link. */
export function toMarkdownCell(text: string): string {
  return text
    .replace(/[\\|<>[\]_*`~&]/g, '\\$&')
    .replace(/:(?=\/\/)|(?<=\bwww)\./gi, '\\$&')
    .replace(/\s+/g, ' ')
}

const INVALID_XML_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
const XML_ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Leaves out what no XML 1.0 document may contain; lone surrogates become U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(INVALID_XML_CHARACTERS, '')
    .replace(/[&<>"]/g, (character) => XML_ENTITIES[character] ?? '')
}

/** A code span on one line, in which nothing of a foreign text is Markdown. */
export function toMarkdownCode(text: string): string {
  const line = escapeInvisible(text).replace(/\s+/g, ' ').trim()
  if (line === '') return ''
  const longestRun = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longestRun + 1)
  return longestRun === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`
}

/** Words that sites turn into links or mentions even if they are escaped. */
const LINKED_WORD = /@|#\d|:\/\/|\bwww\.|\bmailto:/i
/** Beginning of a heading, a list item, a rule or the underline of a heading. */
const LINE_START = /^(?:[#+=-]|\d+(?=[.)]))/

/** Quotes prose of a person: its lines stay, and nothing in it is Markdown. */
export function toMarkdownQuote(text: string): string {
  return escapeInvisible(text.replace(/\r\n?/g, '\n'))
    .trim()
    .split('\n')
    .map((line) => `> ${toProse(line)}`.trimEnd())
    .join('  \n')
    .replace(/^> {2}$/gm, '>')
}

function toProse(line: string): string {
  const words = line.trim().split(/\s+/)
  const prose = words.map((word) => (LINKED_WORD.test(word) ? toMarkdownCode(word) : toMarkdownCell(word))).join(' ')
  return prose.replace(LINE_START, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`))
}
