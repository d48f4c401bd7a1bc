import { ref, watch, type Ref, type ShallowRef } from 'vue'
import { isMenuKey } from '../menu-item.ts'
import { findRowPosition, getRowAfterKey } from './keyboard-navigation.ts'
import { useRowSelection } from './row-selection.ts'

type RowKey = string | number

interface CursorOptions<Row> {
  readonly rows: () => readonly Row[]
  readonly order: ShallowRef<unknown>
  readonly getRow: (position: number) => Row | undefined
  readonly rowKey: (row: Row) => RowKey
  readonly isGroup: (row: Row) => boolean
  readonly isMultiSelect: () => boolean
  readonly selected: Ref<RowKey | null>
  readonly selection: Ref<readonly Row[]>
  readonly scroller: Readonly<ShallowRef<HTMLElement | null>>
  /** Returns the number of rows that the page keys move by. */
  readonly getPage: () => number
  readonly scrollTo: (position: number) => void
  readonly activate: (row: Row) => void
  readonly openMenu: (position: number) => void
}

interface RowCursor {
  /** Position of the row on which keys act. */
  readonly activeRow: Ref<number>
  isSelected(key: RowKey): boolean
  /** Selects a single row. */
  select(position: number): void
  onClick(event: MouseEvent, position: number): void
  onMouseDown(event: MouseEvent): void
  onKey(event: KeyboardEvent): void
}

/** Moves through the rows of a table and selects them, with the mouse and the keyboard. */
export function useRowCursor<Row>(options: CursorOptions<Row>): RowCursor {
  const { rows, order, getRow, rowKey, isMultiSelect, selected, selection, scroller, scrollTo } = options
  const activeRow = ref(0)
  /** Set while several rows are selected, because the cursor may then be at none of them. */
  let cursorKey: string | number | null = null
  function moveCursor(position: number): void {
    const row = getRow(position)
    activeRow.value = position
    cursorKey = row === undefined || selection.value.length === 0 ? null : rowKey(row)
  }
  /** Keeps the cursor on its row or the selected one when the rows or their order change. */
  watch(
    [rows, order, selected],
    () => {
      const current = getRow(activeRow.value)
      const key = (selection.value.length > 0 ? cursorKey : null) ?? selected.value
      if (key === null || (current !== undefined && rowKey(current) === key)) {
        activeRow.value = Math.max(0, Math.min(activeRow.value, rows().length - 1))
        return
      }
      const position = findRowPosition(rows().length, getRow, (row) => rowKey(row) === key)
      if (position !== null) activeRow.value = position
    },
    { immediate: true },
  )
  const rowSelection = useRowSelection<Row>({ rows, getRow, rowKey, selected, selection })
  function select(position: number): void {
    const row = getRow(position)
    if (row === undefined) return
    activeRow.value = position
    rowSelection.reset(position)
    selected.value = rowKey(row)
  }
  /** With Shift, the browser would select the text between two rows. */
  function onMouseDown(event: MouseEvent): void {
    if (!isMultiSelect() || !event.shiftKey) return
    event.preventDefault()
    scroller.value?.focus({ preventScroll: true })
  }
  function onClick(event: MouseEvent, position: number): void {
    const row = getRow(position)
    if (!isMultiSelect() || row === undefined || options.isGroup(row)) return select(position)
    if (event.shiftKey) rowSelection.extendTo(position)
    else if (event.ctrlKey || event.metaKey) rowSelection.toggle(position)
    else return select(position)
    moveCursor(position)
  }

  function onKey(event: KeyboardEvent): void {
    if (event.target !== scroller.value) return
    if (isMenuKey(event)) {
      event.preventDefault()
      return options.openMenu(activeRow.value)
    }
    if (event.altKey || ((event.ctrlKey || event.metaKey) && !isMultiSelect())) return
    if (event.key === 'Escape' && selection.value.length > 0) {
      event.preventDefault()
      selection.value = []
      return
    }
    const isSeparate = event.ctrlKey || event.metaKey
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      const row = getRow(activeRow.value)
      if (row === undefined) return
      if (isSeparate && event.key === ' ') return rowSelection.toggle(activeRow.value)
      select(activeRow.value)
      if (event.key === 'Enter') options.activate(row)
      return
    }
    // If no row is selected, the first arrow key selects the row at the cursor instead of moving
    // past it.
    const isFirstMove = selected.value === null && selection.value.length === 0 && !event.shiftKey && !isSeparate
    const start = isFirstMove && event.key.startsWith('Arrow') ? activeRow.value - 1 : activeRow.value
    const nextRow = getRowAfterKey(event.key, start, rows().length, options.getPage())
    if (nextRow === null) return
    event.preventDefault()
    if (isMultiSelect() && event.shiftKey) rowSelection.extendTo(nextRow)
    if (isMultiSelect() && (event.shiftKey || isSeparate)) moveCursor(nextRow)
    else select(nextRow)
    scrollTo(nextRow)
  }

  return { activeRow, isSelected: rowSelection.isSelected, select, onClick, onMouseDown, onKey }
}
