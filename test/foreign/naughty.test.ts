import Papa from 'papaparse'
import { afterAll, describe, expect, test } from 'vitest'
import { exportCsv } from '../../renderer/components/grid/csv-export.ts'
import { Forest } from '../../renderer/model/tree/forest.ts'
import { TreeSession } from '../../renderer/workers/tree-session.ts'
import type { ExcerptRow } from '../../renderer/model/excerpts/excerpt-rows.ts'
import { toExcerptRows } from '../../renderer/model/excerpts/excerpt-rows.ts'
import { foldText } from '../../shared/format/text-folding.ts'
import { figure } from './figures.ts'
import { naughty } from './naughty.ts'
import { spreadsheet } from './spreadsheet.ts'

const counted: Record<string, number | string> = { strings: naughty.length }
afterAll(() => figure('naughty', counted))

const columns = (['text', 'noteid'] as const).map((id) => ({
  id,
  header: id,
  width: 1,
  value: (row: ExcerptRow) => row[id],
}))

async function csv(texts: readonly string[]): Promise<string> {
  const rows = toExcerptRows(texts.map((text, index) => ({ text, noteid: `N${index}` })))
  const blob = await exportCsv(rows, columns, { signal: new AbortController().signal, onProgress: () => undefined })
  return (await blob?.text())?.replace(/^\ufeff/, '') ?? ''
}

/** A file in UTF-8 cannot hold lone surrogates. */
const toText = (text: string): string => text.toWellFormed()

describe('naughty strings as titles', () => {
  test('appear in the tree unchanged, and the filter finds each of them', () => {
    const session = new TreeSession('')
    const nodes = naughty.map((title, index) => ({ noteid: `N${index}`, parent: null, title }))
    const bytes = new TextEncoder().encode(JSON.stringify({ nodes }))
    const forest = new Forest()
    const chunk = session.addPage(bytes.buffer, () => undefined)
    forest.appendChunk(chunk)
    expect(chunk.problems).toEqual([])
    naughty.forEach((title, index) => {
      expect(forest.getTitle(index)).toBe(title)
      const matches = [...session.search(title, naughty.length)]
      expect(matches, JSON.stringify(title)).toContain(index)
      const lower = title.toLowerCase()
      // Lower case that changes the length (İ) is a different text.
      if (lower.length === title.length) expect([...session.search(lower, naughty.length)], lower).toContain(index)
      for (const hit of matches.filter((entry) => entry !== index)) {
        expect(foldText(naughty[hit] ?? '').includes(foldText(title)) || /^N\d+$/.test(title)).toBe(true)
      }
    })
    counted['in a tree and found by the filter'] = naughty.length
  })

  test('survive a CSV, and no cell begins like a formula', async () => {
    const { data } = Papa.parse<string[]>(await csv(naughty), { skipEmptyLines: 'greedy' })
    expect(data).toHaveLength(naughty.length + 1)
    let escaped = 0
    naughty.forEach((text, index) => {
      const [cell = '', id] = data[index + 1] ?? []
      expect(id).toBe(`N${index}`)
      expect([toText(text), `'${toText(text)}`]).toContain(cell)
      expect(cell).not.toMatch(/^[\s\0\p{Cf}]*[=+\-@]/u)
      if (cell !== toText(text)) escaped += 1
    })
    counted['back out of a CSV'] = naughty.length
    counted['of them escaped as formulas'] = escaped
  })
})

const { available, open } = spreadsheet()
if (!available) {
  counted['in LibreOffice'] = 'not run: there is no soffice'
  console.warn('*** SKIPPED: there is no soffice, so the CSV was not imported into LibreOffice. ***')
}

describe.skipIf(!available)('in LibreOffice, with formulas evaluated', () => {
  /**
   * Formulas that a guard may miss: several lines, full-width signs, spaces or invisible characters
   * in front.
   */
  const formulas = ['=1+1', '+1+1', '-1+1', '@SUM(1,1)', '\t=1+1', '\r=1+1', '\n=1+1', '\r\n=1+1', ' =1+1']
  const hidden = [
    '\u200b=1+1',
    '\ufeff=1+1',
    '\u00a0=1+1',
    '＝1+1',
    '＋1+1',
    'x\n=1+1',
    '"=1+1',
    '=1+1\nsecond line',
    '=cmd|x!A0',
  ]

  test('a CSV without the guard runs a formula, so this check can fail', () => {
    const { formulas: run } = open('plain', Papa.unparse([['text'], ['=1+1']]))
    expect(run).toBe(1)
  })

  test('a saved CSV runs no formula, and every row arrives', async () => {
    // XML cannot hold these, so the converted sheet does not show them.
    const sayable = naughty.filter((text) => !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/u.test(text))
    const texts = [...sayable, ...formulas, ...hidden]
    const { formulas: run, rows } = open('guarded', await csv(texts))
    expect(run).toBe(0)
    expect(rows.map(([, id]) => id)).toEqual(['noteid', ...texts.map((_, index) => `N${index}`)])
    counted['in LibreOffice: rows'] = rows.length - 1
    counted['in LibreOffice: formulas that ran'] = run
  })
})
