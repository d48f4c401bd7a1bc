import { useI18n } from 'vue-i18n'
import type { RowMenuItem } from '../menu-item.ts'
import { getCellText, type Column } from './columns.ts'

/** A header in the middle of a sentence; abbreviations keep their capitals. */
const toInnerWord = (header: string): string =>
  header.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLocaleLowerCase())

/** Tabs and line breaks separate cells and rows, so they cannot be part of a text. */
const formatRow = (texts: readonly string[]): string => texts.map((text) => text.replace(/[\t\r\n]+/g, ' ')).join('\t')

/**
 * @param columns all columns, including those that do not fit
 * @param open opens the row; null if the rows of this table cannot be opened
 * @param items what the place offers for these rows
 * @param isLoaded returns false while the texts of a row are unknown
 */
type ListMenuItems<Row> = (
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  open: (() => void) | null,
  items: readonly RowMenuItem[],
  isLoaded: (row: Row) => boolean,
) => readonly RowMenuItem[]

/** Opening a row, what the place offers, and the row's texts to copy. */
export function useMenuItems<Row>(): ListMenuItems<Row> {
  const { t, n } = useI18n()

  function listCopyItems(
    rows: readonly Row[],
    columns: readonly Column<Row>[],
    isLoaded: (row: Row) => boolean,
  ): readonly RowMenuItem[] {
    const [first] = rows
    if (first === undefined) return []
    const headers = rows.length > 1 ? [formatRow(columns.map(({ header }) => header))] : []
    const rowItem: RowMenuItem = {
      id: 'copy-row',
      label: t('common.grid.copyRows', { n: n(rows.length) }, rows.length),
      ...(rows.every(isLoaded) ? {} : { unavailableReason: t('common.grid.unreadRows') }),
      readText: () =>
        [...headers, ...rows.map((row) => formatRow(columns.map((column) => getCellText(column, row))))].join('\n'),
    }
    const cells = columns.flatMap((column): RowMenuItem[] => {
      // A text that is never cut is short, such as a method.
      const isPayload = column.mono === true && column.neverCut !== true
      const text = isPayload && rows.length === 1 ? getCellText(column, first) : ''
      if (text === '') return []
      const label = t('common.copyNamed', { what: toInnerWord(column.header) })
      return [{ id: `copy-cell-${column.id}`, label, readText: () => text }]
    })
    return [...cells, rowItem]
  }

  return (rows, columns, open, items, isLoaded) => {
    const openItem: readonly RowMenuItem[] =
      open === null || rows.length !== 1 ? [] : [{ id: 'open', label: t('common.grid.open'), run: open }]
    const [firstCopy, ...otherCopies] = listCopyItems(rows, columns, isLoaded)
    if (firstCopy === undefined) return [...openItem, ...items]
    // Texts that the place offers last are copied from the same group.
    const lastItem = items.at(-1)
    const hasSeparator = lastItem === undefined || !('readText' in lastItem)
    return [...openItem, ...items, { ...firstCopy, hasSeparator }, ...otherCopies]
  }
}
