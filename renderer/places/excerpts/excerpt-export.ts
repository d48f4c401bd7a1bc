import { CHUNK_ROWS, waitForNextTask, type ExportSteps } from '../../components/grid/csv-export.ts'
import { sliceElementText, findElementRanges } from '../../components/element-text.ts'
import type { ExcerptRow } from '../../model/excerpts/excerpt-rows.ts'

/** Rows stay as the host sent them in `member`. Null if the export was cancelled. */
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
