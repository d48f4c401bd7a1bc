import Papa from 'papaparse'
import { sliceElementText, findElementRanges } from '../../components/element-text.ts'
import type { ExcerptRow } from '../../model/excerpts/excerpt-rows.ts'
import type { Column } from '../../components/grid/columns.ts'

const CHUNK_ROWS = 1000
const waitForNextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

interface ExportSteps {
  readonly signal: AbortSignal
  onProgress(writtenRows: number): void
}

/**
 * Matches cells that a spreadsheet may read as a formula or split: those that begin with a formula
 * character (also full-width, or after white space or invisible characters), a tab or a line break.
 */
const FORMULA_PATTERN = /^(?:[\s\0\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n])/u

/**
 * Rows are written in chunks that keep the page responsive. Possible formulas are escaped, and a
 * byte order mark declares UTF-8.
 * @returns null if the export was cancelled
 */
export async function exportCsv(
  rows: readonly ExcerptRow[],
  columns: readonly Column<ExcerptRow>[],
  { signal, onProgress }: ExportSteps,
): Promise<Blob | null> {
  const formatLines = (values: readonly unknown[][]): string =>
    Papa.unparse(values as unknown[][], { escapeFormulae: FORMULA_PATTERN, newline: '\r\n' })
  const parts: string[] = ['\ufeff', formatLines([columns.map(({ header }) => header)]), '\r\n']
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
    if (signal.aborted) return null
    parts.push(
      formatLines(rows.slice(start, start + CHUNK_ROWS).map((row) => columns.map((column) => column.value(row) ?? ''))),
      '\r\n',
    )
    onProgress(Math.min(rows.length, start + CHUNK_ROWS))
    await waitForNextTask()
  }
  return signal.aborted ? null : new Blob(parts, { type: 'text/csv' })
}

/**
 * Each row of the list stays exactly as the host sent it.
 * @param response the response with the list in its `member`
 * @returns null if the export was cancelled
 */
export async function exportJson(
  rows: readonly ExcerptRow[],
  response: { readonly raw: ArrayBuffer; readonly member: string | null },
  { signal, onProgress }: ExportSteps,
): Promise<Blob | null> {
  const ranges = await findElementRanges(response.raw, response.member)
  const parts: string[] = ['[\n']
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
    if (signal.aborted) return null
    const texts = rows
      .slice(start, start + CHUNK_ROWS)
      .map((row) => sliceElementText(response.raw, ranges, row.index) ?? '')
    parts.push(start === 0 ? '' : ',\n', texts.join(',\n'))
    onProgress(Math.min(rows.length, start + CHUNK_ROWS))
    await waitForNextTask()
  }
  parts.push('\n]\n')
  return signal.aborted ? null : new Blob(parts, { type: 'application/json' })
}
