import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, test } from 'vitest'
import {
  orderColumns,
  moveColumn,
  defaultGridLayout,
  getVisibleColumns,
  toggleColumn,
} from '../../../renderer/components/grid/grid-layout.ts'
import { toFileName } from '../../../renderer/components/file-download.ts'
import { exportCsv } from '../../../renderer/components/grid/csv-export.ts'
import { exportJson } from '../../../renderer/places/excerpts/excerpt-export.ts'
import type { ExcerptRow } from '../../../renderer/model/excerpts/excerpt-rows.ts'
import { toExcerptRows } from '../../../renderer/model/excerpts/excerpt-rows.ts'

const column = (id: 'text' | 'page' | 'noteid') => ({ id, header: id, width: 1, value: (row: ExcerptRow) => row[id] })
const columns = [column('text'), column('page'), column('noteid')]
const steps = () => ({ signal: new AbortController().signal, onProgress: () => undefined })
const item = fc.record({
  noteid: fc.string(),
  cardNoteId: fc.string(),
  topicid: fc.string(),
  page: fc.nat(),
  startpos: fc.nat(),
  endpos: fc.nat(),
  text: fc.string({ unit: 'grapheme' }),
})

describe('an excerpt export', () => {
  test('keeps every value in CSV, and escapes what a spreadsheet would run', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 20 }), async (items) => {
        const blob = await exportCsv(toExcerptRows(items), columns, steps())
        const text = (await blob?.text()) ?? ''
        const { data } = Papa.parse<string[]>(text.replace(/^\ufeff/, ''), { skipEmptyLines: 'greedy' })
        expect(data).toHaveLength(items.length + 1)
        for (const [index, { noteid, page }] of items.entries()) {
          const cell = data[index + 1]?.[2] ?? ''
          expect(data[index + 1]?.[1]).toBe(String(page))
          expect([noteid, `'${noteid}`]).toContain(cell)
          expect(cell).not.toMatch(/^[=+\-@＝＋－＠\t\r\n]/)
        }
      }),
      { numRuns: 40 },
    )
  })

  test.each([
    '=1+1',
    '=1+1\nand a second line',
    '\n=1+1',
    ' =1+1',
    '\u200b=1+1',
    '\ufeff@SUM(1)',
    '＝1+1',
    '＋1',
    '－1',
    '＠SUM(1)',
    '\tx',
    '\rx',
    '\r\n=cmd|x!A0\r\n"',
  ])('in CSV lets no spreadsheet run %j', async (text) => {
    const blob = await exportCsv(toExcerptRows([{ text, page: 1 }]), columns, steps())
    const { data } = Papa.parse<string[]>(((await blob?.text()) ?? '').replace(/^\ufeff/, ''), { skipEmptyLines: true })
    expect(data[1]?.[0]).toBe(`'${text}`)
  })

  test('does not change in CSV what is not a formula', async () => {
    for (const text of ['a=b', '1-2', "it's", 'x\n=1', '—', '＃']) {
      const blob = await exportCsv(toExcerptRows([{ text, page: 1 }]), columns, steps())
      const { data } = Papa.parse<string[]>(((await blob?.text()) ?? '').replace(/^\ufeff/, ''), {
        skipEmptyLines: true,
      })
      expect(data[1]?.[0]).toBe(text)
    }
  })

  test('in JSON is exactly what was sent, in the order of the table', async () => {
    const text = '{"items":[ {"page":1,"big":12345678901234567890} , {"page":2,"a":"\\u0041"} ],"more":1}'
    const rows = toExcerptRows([{ page: 1 }, { page: 2 }]).toReversed()
    const blob = await exportJson(
      rows,
      { raw: new TextEncoder().encode(text).buffer as ArrayBuffer, member: 'items' },
      steps(),
    )
    expect(await blob?.text()).toBe('[\n{"page":2,"a":"\\u0041"},\n{"page":1,"big":12345678901234567890}\n]\n')
  })

  test('creates no file when cancelled', async () => {
    const abort = new AbortController()
    const rows = toExcerptRows(Array.from({ length: 5000 }, (_, page) => ({ page })))
    const running = exportCsv(rows, columns, {
      signal: abort.signal,
      onProgress: (done) => done >= 2000 && abort.abort(),
    })
    expect(await running).toBeNull()
  })

  test('has a file name that every file system accepts', () => {
    expect(toFileName('../../a:b\\c\u202egnp', 'csv', 'excerpts')).toBe('a b c gnp.csv')
    expect(toFileName('   ', 'json', 'excerpts')).toBe('excerpts.json')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (title) => {
        expect(toFileName(title, 'csv', 'excerpts')).toMatch(/^[^/\\:]+\.csv$/)
        expect(toFileName(title, 'csv', 'excerpts')).not.toMatch(/^\./)
      }),
    )
  })
})

describe('the column layout of excerpts', () => {
  const id = fc.constantFrom('text', 'page', 'noteid', 'gone')
  const layout = fc.record({ order: fc.uniqueArray(id), hidden: fc.uniqueArray(id), widths: fc.constant({}) })
  const ids = (list: readonly { id: string }[]) => list.map((entry) => entry.id)

  test('contains every column once for any stored layout, and never hides all', () => {
    fc.assert(
      fc.property(layout, (remembered) => {
        expect(ids(orderColumns(columns, remembered)).toSorted()).toEqual(ids(columns).toSorted())
        expect(getVisibleColumns(columns, remembered).length).toBeGreaterThan(0)
      }),
    )
  })

  test('moves and hides columns', () => {
    expect(ids(orderColumns(columns, moveColumn(columns, defaultGridLayout, 'page', -1)))).toEqual([
      'page',
      'text',
      'noteid',
    ])
    expect(moveColumn(columns, defaultGridLayout, 'text', -1)).toBe(defaultGridLayout)
    expect(ids(getVisibleColumns(columns, toggleColumn(defaultGridLayout, 'text')))).toEqual(['page', 'noteid'])
    expect(toggleColumn(toggleColumn(defaultGridLayout, 'text'), 'text')).toEqual(defaultGridLayout)
  })
})
