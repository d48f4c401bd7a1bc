import type { Column } from '../../components/grid/columns.ts'
import { formatMarkdownHeader, formatMarkdownRow, toMarkdownText } from '../../components/grid/markdown-table.ts'
import type { PairRow } from '../../stores/run-comparison.ts'

/** Nobody reads a longer table. */
export const MAX_COPIED_ROWS = 500

interface CopiedRuns {
  readonly heading: string
  /** Extent of the comparison. */
  readonly remarks: readonly string[]
  readonly rows: readonly PairRow[]
  readonly columns: readonly Column<PairRow>[]
}

export function formatRunsAsMarkdown({ heading, remarks, rows, columns }: CopiedRuns): string {
  const lines = rows.slice(0, MAX_COPIED_ROWS).map((row) => formatMarkdownRow(columns, row))
  return [
    `# ${toMarkdownText(heading)}`,
    '',
    ...remarks.map((remark) => `- ${toMarkdownText(remark)}`),
    '',
    ...(lines.length === 0 ? [] : formatMarkdownHeader(columns)),
    ...lines,
    '',
  ].join('\n')
}
