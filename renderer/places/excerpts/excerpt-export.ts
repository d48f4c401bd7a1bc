import Papa from 'papaparse'
import { sliceElementText, findElementRanges } from '../../components/element-text.ts'
import type { ExcerptRow } from '../../model/excerpts/excerpt-rows.ts'
import type { Column } from '../../components/grid/columns.ts'

const CHUNK = 1000
const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

interface ExportSteps {
  readonly signal: AbortSignal
  /** Rows written so far. */
  onProgress(done: number): void
}

/**
 * What a spreadsheet may take for a formula, or for the end of a cell: the characters that start one, including full-width forms and after
 * whitespace or invisible characters, tabs and line breaks. Whatever follows: a cell with several lines can still be a formula.
 */
const formula = /^(?:[\s\0\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n])/u

/**
 * The rows as CSV with the visible columns, in pieces so that the page stays responsive. Anything a spreadsheet would take for a formula is
 * escaped; a leading byte order mark declares UTF-8. Null when cancelled.
 */
export async function exportCsv(
  rows: readonly ExcerptRow[],
  columns: readonly Column<ExcerptRow>[],
  { signal, onProgress }: ExportSteps,
): Promise<Blob | null> {
  const line = (values: readonly unknown[][]): string =>
    Papa.unparse(values as unknown[][], { escapeFormulae: formula, newline: '\r\n' })
  const parts: string[] = ['\ufeff', line([columns.map(({ header }) => header)]), '\r\n']
  for (let at = 0; at < rows.length; at += CHUNK) {
    if (signal.aborted) return null
    parts.push(line(rows.slice(at, at + CHUNK).map((row) => columns.map((column) => column.value(row) ?? ''))), '\r\n')
    onProgress(Math.min(rows.length, at + CHUNK))
    await nextTask()
  }
  return signal.aborted ? null : new Blob(parts, { type: 'text/csv' })
}

/** The rows as a JSON list, each exactly as the host sent it: numbers, escapes and unknown fields untouched. Null when cancelled. */
export async function exportJson(
  rows: readonly ExcerptRow[],
  answer: { readonly raw: ArrayBuffer; readonly member: string | null },
  { signal, onProgress }: ExportSteps,
): Promise<Blob | null> {
  const ranges = await findElementRanges(answer.raw, answer.member)
  const parts: string[] = ['[\n']
  for (let at = 0; at < rows.length; at += CHUNK) {
    if (signal.aborted) return null
    const texts = rows.slice(at, at + CHUNK).map((row) => sliceElementText(answer.raw, ranges, row.index) ?? '')
    parts.push(at === 0 ? '' : ',\n', texts.join(',\n'))
    onProgress(Math.min(rows.length, at + CHUNK))
    await nextTask()
  }
  parts.push('\n]\n')
  return signal.aborted ? null : new Blob(parts, { type: 'application/json' })
}
