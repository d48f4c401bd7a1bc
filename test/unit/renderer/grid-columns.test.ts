import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  selectFittingColumns,
  buildGridTemplate,
  computeMinGridWidth,
  widenToText,
  type Column,
} from '../../../renderer/components/grid/columns.ts'

const value = (): string => ''
const columns: Column<unknown>[] = [
  { id: 'title', header: 'Title', width: 280, minWidth: 200, grow: true, value },
  { id: 'cards', header: 'Cards', width: 100, align: 'end', value },
  { id: 'modified', header: 'Last change', width: 170, hidePriority: 1, value },
  { id: 'id', header: 'Id', width: 300, mono: true, hidePriority: 2, value },
]
const ids = (room: number, widths = new Map<string, number>()): string[] =>
  selectFittingColumns(columns, widths, room).map(({ id }) => id)

describe('grid columns', () => {
  test('share the width: ids shrink before any column is hidden', () => {
    expect(buildGridTemplate(columns, new Map())).toBe('minmax(200px, 1fr) 100px 170px minmax(120px, 300px)')
    expect(ids(590)).toEqual(['title', 'cards', 'modified', 'id'])
  })

  test('give the growing column its own width before other columns get more than their minimum', () => {
    expect(buildGridTemplate(columns, new Map(), 620)).toMatch(/^minmax\(230px, 1fr\)/)
    expect(buildGridTemplate(columns, new Map(), 670)).toBe('minmax(280px, 1fr) 100px 170px 120px')
    expect(buildGridTemplate(columns, new Map(), 1_700)).toBe('minmax(560px, 1fr) 100px 170px 300px')
  })

  test('limit the growing column in a very wide table, and leave the rest of the width free', () => {
    expect(buildGridTemplate(columns, new Map(), 2_300)).toMatch(/^minmax\(560px, 700px\) .* minmax\(0, 1fr\)$/)
  })

  test('widen ids after the main column has twice its width', () => {
    expect(buildGridTemplate(columns, new Map(), 900)).toBe('minmax(510px, 1fr) 100px 170px 120px')
    expect(buildGridTemplate(columns, new Map(), 1_000)).toBe('minmax(560px, 1fr) 100px 170px 170px')
  })

  test('widen a path before the main column has twice its width', () => {
    const path: Column<unknown> = { id: 'path', header: 'Path', width: 340, minWidth: 220, mono: true, value }
    expect(buildGridTemplate([...columns.slice(0, 2), path], new Map(), 780)).toBe('minmax(340px, 1fr) 100px 340px')
  })

  test('are hidden before a column that outranks them gets less than its width, others before its minimum', () => {
    const path: Column<unknown> = {
      id: 'path',
      header: 'Path',
      width: 400,
      minWidth: 200,
      outranks: 2,
      grow: true,
      value,
    }
    const idsBeside = (room: number): string[] =>
      selectFittingColumns([path, ...columns.slice(2)], new Map(), room).map(({ id }) => id)
    expect(idsBeside(690)).toEqual(['path', 'modified', 'id'])
    expect(idsBeside(689)).toEqual(['path', 'modified'])
    expect(idsBeside(370)).toEqual(['path', 'modified'])
    expect(idsBeside(369)).toEqual(['path'])
  })

  test('are as wide as their headers and the texts that are never cut', () => {
    const wide = widenToText(
      columns,
      new Map([
        ['cards', 90],
        ['id', 12],
      ]),
      new Map([
        ['modified', 210],
        ['title', 9_000],
      ]),
    )
    expect(wide.map(({ id, minWidth, width }) => [id, minWidth, width])).toEqual([
      ['title', 338, 338],
      ['cards', 126, 126],
      ['modified', 228, 228],
      ['id', 120, 300],
    ])
  })

  test('cut no text that they fit while the growing column could do without the room', () => {
    const fitted = widenToText(
      columns.map((column) => ({ ...column, fitsText: column.id !== 'cards' })),
      new Map(),
      new Map([
        ['title', 300],
        ['modified', 40],
        ['id', 430],
      ]),
    )
    expect(fitted.map(({ minWidth, width }) => [minWidth, width])).toEqual([
      [200, 318],
      [100, 100],
      [170, 170],
      [120, 448],
    ])
    expect(buildGridTemplate(fitted, new Map(), 1_036)).toBe('minmax(318px, 1fr) 100px 170px 448px')
  })

  test('are hidden in order of their priority, and never without a priority', () => {
    expect(ids(589)).toEqual(['title', 'cards', 'modified'])
    expect(ids(469)).toEqual(['title', 'cards'])
    expect(ids(10)).toEqual(['title', 'cards'])
  })

  test('are all visible before the table is measured', () => {
    expect(ids(0)).toHaveLength(4)
  })

  test('keep the width that the user set, and are then never hidden', () => {
    expect(ids(560, new Map([['id', 300]]))).toEqual(['title', 'cards', 'id'])
    expect(buildGridTemplate(columns, new Map([['title', 90]]))).toBe(
      '90px 100px 170px minmax(120px, 300px) minmax(0, 1fr)',
    )
  })

  test('fit into any width, or only those that are never hidden remain', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), (room) => {
        const visibleColumns = selectFittingColumns(columns, new Map(), room)
        expect(
          computeMinGridWidth(visibleColumns, new Map()) <= room ||
            visibleColumns.every(({ hidePriority: leaves }) => leaves === undefined),
        ).toBe(true)
      }),
    )
  })
})
