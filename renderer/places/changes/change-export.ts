import type { LevelChange } from '../../../shared/snapshots/palette.ts'
import type { Column } from '../../components/grid/columns.ts'
import { CHUNK_ROWS, exportCsv, waitForNextTask } from '../../components/grid/csv-export.ts'
import { formatMarkdownHeader, formatMarkdownRow, toMarkdownText } from '../../components/grid/markdown-table.ts'
import type { ReadComparison } from '../../stores/snapshots.ts'
import type { ListedChange } from './change-columns.ts'

export const changeFormats = ['markdown', 'csv', 'json'] as const
type ChangeFormat = (typeof changeFormats)[number]

interface Exported {
  readonly heading: string
  readonly changes: readonly ListedChange[]
  readonly columns: readonly Column<ListedChange>[]
  readonly comparison: ReadComparison
  /** The color levels that differ. */
  readonly levels: readonly ExportedLevel[]
}
interface ExportedLevel {
  readonly level: LevelChange
  /** Keyed by the id of the column. */
  readonly cells: Readonly<Record<string, string>>
}
type ExportedRow = ListedChange | ExportedLevel

export const changeFileExtensions = { markdown: 'md', csv: 'csv', json: 'json' } as const

/** Formats changes in chunks that keep the page responsive. @returns null if it was cancelled */
export async function exportChanges(
  format: ChangeFormat,
  { heading, changes, columns: changeColumns, comparison, levels }: Exported,
  signal: AbortSignal,
): Promise<Blob | null> {
  const columns = changeColumns.map(toExportColumn)
  const isJson = format === 'json'
  const rows = isJson ? changes : [...levels, ...changes]
  if (format === 'csv') return exportCsv(rows, columns, { signal, onProgress: () => undefined })
  const { before, after } = comparison
  const head = { before, after, palette: levels.map(({ level }) => level) }
  const frame = isJson
    ? [`${JSON.stringify(head).slice(0, -1)},"changes":[\n`, ',\n', '\n]}\n']
    : [formatHead(heading, columns), '\n', '\n']
  const formatRow = (row: ExportedRow): string =>
    isChange(row) && isJson ? formatEntry(row) : formatMarkdownRow(columns, row)
  const parts: string[] = [frame[0] ?? '']
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
    if (signal.aborted) return null
    parts.push(start === 0 ? '' : (frame[1] ?? ''))
    parts.push(
      rows
        .slice(start, start + CHUNK_ROWS)
        .map(formatRow)
        .join(frame[1]),
    )
    await waitForNextTask()
  }
  parts.push(frame[2] ?? '')
  return new Blob(parts, { type: isJson ? 'application/json' : 'text/markdown' })
}

const isChange = (row: ExportedRow): row is ListedChange => 'index' in row

const toExportColumn = ({ id, header, width, value }: Column<ListedChange>): Column<ExportedRow> => ({
  id,
  header,
  width,
  value: (row) => (isChange(row) ? value(row) : row.cells[id]),
})

function formatEntry({ row }: ListedChange): string {
  const { noteid, kinds, members, before, after, cause } = row
  return JSON.stringify({ noteid, kinds, members, before, after, cause })
}

const formatHead = (heading: string, columns: readonly Column<ExportedRow>[]): string =>
  [`# ${toMarkdownText(heading)}`, '', ...formatMarkdownHeader(columns), ''].join('\n')
