import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { exportCsv } from '../../../renderer/components/grid/csv-export.ts'
import { toExcerptRows } from '../../../renderer/model/excerpts/excerpt-rows.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'

const soffice = [
  '/usr/bin/soffice',
  '/usr/local/bin/soffice',
  '/Applications/LibreOffice.app/Contents/MacOS/soffice',
].find(existsSync)
if (!soffice)
  console.warn('SKIPPED: LibreOffice (soffice) is not installed; no spreadsheet has read the CSV that is written here.')

/** The cells of a CSV as LibreOffice reads them, and how many it takes for formulas. */
async function imported(csv: Uint8Array): Promise<{ formulas: number; text: string }> {
  const dir = createTempDir()
  const file = path.join(dir, 'table.csv')
  writeFileSync(file, csv)
  const profile = `-env:UserInstallation=file://${path.join(dir, 'profile')}`
  // Comma, quotation marks, UTF-8, from the first line.
  const args = [
    '--headless',
    '--norestore',
    profile,
    '--infilter=CSV:44,34,76,1',
    '--convert-to',
    'fods',
    '--outdir',
    dir,
  ]
  await promisify(execFile)(soffice ?? '', [...args, file], { timeout: 110_000 })
  const sheet = readFileSync(path.join(dir, 'table.fods'), 'utf8')
  return { formulas: sheet.match(/table:formula=/g)?.length ?? 0, text: sheet }
}

const hostile = [
  '=1+1',
  '=1+1\nand more',
  '=HYPERLINK("http://127.0.0.1:9/","x")\r\nx',
  '@SUM(1)',
  '+1+1',
  '-1+1',
  '＝1+1',
  '\t=1+1',
  '\r\n=1+1',
  '\u200b=1+1',
  'a"\r\n=1+1',
  'x",=1+1,"',
]

test.skipIf(!soffice)(
  'a spreadsheet that imports the CSV finds text and no formula',
  async () => {
    const columns = (['text', 'page'] as const).map((id) => ({
      id,
      header: id,
      width: 1,
      value: (row: ReturnType<typeof toExcerptRows>[number]) => row[id],
    }))
    const steps = { signal: new AbortController().signal, onProgress: () => undefined }
    const blob = await exportCsv(
      toExcerptRows(hostile.map((text, page) => ({ text, page: page + 100 }))),
      columns,
      steps,
    )
    const { formulas, text } = await imported(new Uint8Array((await blob?.arrayBuffer()) ?? new ArrayBuffer(0)))
    expect(formulas).toBe(0)
    expect(text).toContain('&apos;=1+1')
    for (const page of hostile.keys()) expect(text).toContain(`office:value="${page + 100}"`)
    // Without escaping, the formula is found.
    expect((await imported(Buffer.from('"=1+1"\r\n'))).formulas).toBe(1)
  },
  240_000,
)
