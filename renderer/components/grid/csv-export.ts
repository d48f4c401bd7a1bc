import Papa from 'papaparse'
import { formulaPattern } from '../../../shared/format/markup.ts'
import type { Column } from './columns.ts'

/** An export writes this many rows in one task. */
export const CHUNK_ROWS = 1000
export function waitForNextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

export interface ExportSteps {
  readonly signal: AbortSignal
  onProgress(writtenRows: number): void
}

/**
 * Rows are written in chunks that keep the page responsive. Possible formulas are escaped, and a
 * byte order mark declares UTF-8.
 * @returns null if the export was cancelled
 */
export async function exportCsv<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { signal, onProgress }: ExportSteps,
): Promise<Blob | null> {
  const formatLines = (values: readonly unknown[][]): string =>
    Papa.unparse(values as unknown[][], { escapeFormulae: formulaPattern, newline: '\r\n' })
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
