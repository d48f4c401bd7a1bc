import { revealInvisible } from '../../../shared/format/invisible-characters.ts'
import { getCellText, type Column } from '../../components/grid/columns.ts'
import { CHUNK_ROWS, exportCsv, waitForNextTask } from '../../components/grid/csv-export.ts'
import type { ReadComparison } from '../../stores/snapshots.ts'
import type { ListedChange } from './change-columns.ts'

export const changeFormats = ['markdown', 'csv', 'json'] as const
type ChangeFormat = (typeof changeFormats)[number]

interface Exported {
  readonly heading: string
  readonly changes: readonly ListedChange[]
  readonly columns: readonly Column<ListedChange>[]
  readonly comparison: ReadComparison
}

export const changeFileExtensions = { markdown: 'md', csv: 'csv', json: 'json' } as const

/** Formats changes in chunks that keep the page responsive. @returns null if it was cancelled */
export async function exportChanges(
  format: ChangeFormat,
  { heading, changes, columns, comparison }: Exported,
  signal: AbortSignal,
): Promise<Blob | null> {
  if (format === 'csv') return exportCsv(changes, columns, { signal, onProgress: () => undefined })
  const { before, after } = comparison
  const frame =
    format === 'json'
      ? [`{"before":${JSON.stringify(before)},"after":${JSON.stringify(after)},"changes":[\n`, ',\n', '\n]}\n']
      : [formatHead(heading, columns), '\n', '\n']
  const formatRow = (change: ListedChange): string =>
    format === 'json' ? formatEntry(change) : toLine(columns.map((column) => toCell(getCellText(column, change))))
  const parts: string[] = [frame[0] ?? '']
  for (let start = 0; start < changes.length; start += CHUNK_ROWS) {
    if (signal.aborted) return null
    parts.push(start === 0 ? '' : (frame[1] ?? ''))
    parts.push(
      changes
        .slice(start, start + CHUNK_ROWS)
        .map(formatRow)
        .join(frame[1]),
    )
    await waitForNextTask()
  }
  parts.push(frame[2] ?? '')
  return new Blob(parts, { type: format === 'json' ? 'application/json' : 'text/markdown' })
}

function formatEntry({ row }: ListedChange): string {
  const { noteid, kinds, members, before, after, cause } = row
  return JSON.stringify({ noteid, kinds, members, before, after, cause })
}

/** Titles come from the host, so nothing in them may act as Markdown. */
const toCell = (text: string): string =>
  revealInvisible(text)
    .replace(/[\\|<>[\]_*`]/g, '\\$&')
    .replace(/\s+/g, ' ')
const toLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const formatHead = (heading: string, columns: readonly Column<ListedChange>[]): string =>
  [`# ${toCell(heading)}`, '', toLine(columns.map(({ header }) => header)), toLine(columns.map(() => '---')), ''].join(
    '\n',
  )
