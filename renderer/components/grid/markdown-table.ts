import { revealInvisible } from '../../../shared/format/invisible-characters.ts'
import { toMarkdownCell } from '../../../shared/format/markup.ts'
import { getCellText, type Column } from './columns.ts'

/** Texts come from the host, so nothing in them may act as Markdown. */
export const toMarkdownText = (text: string): string => toMarkdownCell(revealInvisible(text))

const toLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** The first two lines of a table. Headers are our own texts. */
export const formatMarkdownHeader = <Row>(columns: readonly Column<Row>[]): readonly string[] => [
  toLine(columns.map(({ header }) => header)),
  toLine(columns.map(() => '---')),
]

export const formatMarkdownRow = <Row>(columns: readonly Column<Row>[], row: Row): string =>
  toLine(columns.map((column) => toMarkdownText(getCellText(column, row))))
