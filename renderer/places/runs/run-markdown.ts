import { revealInvisible } from '../../../shared/format/invisible-characters.ts'
import { toMarkdownCell } from '../../../shared/format/markup.ts'
import { getCellText, type Column } from '../../components/grid/columns.ts'
import type { PairRow } from '../../stores/run-comparison.ts'

/** Nobody reads a longer table. */
export const MAX_COPIED_ROWS = 500

interface CopiedRuns {
  readonly heading: string
  /** What was compared, and what was not. */
  readonly remarks: readonly string[]
  readonly rows: readonly PairRow[]
  readonly columns: readonly Column<PairRow>[]
}

/** The listed differences as Markdown. Texts come from the host, so none of them acts as markup. */
export function formatRunsAsMarkdown({ heading, remarks, rows, columns }: CopiedRuns): string {
  const toCell = (text: string): string => toMarkdownCell(revealInvisible(text))
  const toLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const lines = rows
    .slice(0, MAX_COPIED_ROWS)
    .map((row) => toLine(columns.map((column) => toCell(getCellText(column, row)))))
  return [
    `# ${toCell(heading)}`,
    '',
    ...remarks.map((remark) => `- ${toCell(remark)}`),
    '',
    ...(lines.length === 0 ? [] : [toLine(columns.map(({ header }) => header)), toLine(columns.map(() => '---'))]),
    ...lines,
    '',
  ].join('\n')
}
