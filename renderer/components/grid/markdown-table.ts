import { revealInvisible } from '../../../shared/format/invisible-characters.ts'
import { toMarkdownCell } from '../../../shared/format/markup.ts'
import { getCellText, type Column } from './columns.ts'

/** Texts come from the host, so nothing in them may act as Markdown. */
export function toMarkdownText(text: string): string {
  return toMarkdownCell(revealInvisible(text))
}

const toLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** The first two lines of a table. Headers are our own texts. */
export function formatMarkdownHeader<Row>(columns: readonly Column<Row>[]): readonly string[] {
  return [toLine(columns.map(({ header }) => header)), toLine(columns.map(() => '---'))]
}

export function formatMarkdownRow<Row>(columns: readonly Column<Row>[], row: Row): string {
  return toLine(columns.map((column) => toMarkdownText(getCellText(column, row))))
}
