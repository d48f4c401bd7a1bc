import { ref, watch, type Ref, type ShallowRef, computed, type ComputedRef } from 'vue'
import { isMenuKey } from '../menu-item.ts'

/** The row to which a navigation key moves, `page` being visible rows; null for other keys. */
function getRowAfterKey(key: string, currentRow: number, count: number, page: number): number | null {
  if (count === 0) return null
  const clamp = (row: number): number => Math.min(count - 1, Math.max(0, row))
  switch (key) {
    case 'ArrowDown':
      return clamp(currentRow + 1)
    case 'ArrowUp':
      return clamp(currentRow - 1)
    case 'PageDown':
      return clamp(currentRow + page)
    case 'PageUp':
      return clamp(currentRow - page)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}

/** Returns null if no row matches. */
function findRowPosition<Row>(
  count: number,
  getRow: (position: number) => Row | undefined,
  isMatch: (row: Row) => boolean,
): number | null {
  for (let position = 0; position < count; position += 1) {
    const row = getRow(position)
    if (row !== undefined && isMatch(row)) return position
  }
  return null
}

interface RowSelectionOptions<Row> {
  readonly rows: () => readonly Row[]
  readonly getRow: (position: number) => Row | undefined
  readonly rowKey: (row: Row) => RowKey
  /** The key of the row whose details are shown; null if there is none. */
  readonly selected: Ref<RowKey | null>
  /** The rows that are selected together; empty while at most one row is selected by `selected`. */
  readonly selection: Ref<readonly Row[]>
}

/** Several rows of a table that are selected at the same time. */
function useRowSelection<Row>(options: RowSelectionOptions<Row>) {
  const { rows, getRow, rowKey, selected, selection } = options
  const selectedKeys: ComputedRef<ReadonlySet<RowKey>> = computed(() => new Set(selection.value.map(rowKey)))
  /** The key of the row at which a range starts. */
  let anchorKey: RowKey | null = null

  const findPosition = (key: RowKey): number | null =>
    findRowPosition(rows().length, getRow, (row) => rowKey(row) === key)
  const setAnchor = (position: number): void => {
    const row = getRow(position)
    anchorKey = row === undefined ? null : rowKey(row)
  }

  // Rows that are gone cannot stay selected, and the remaining ones may have changed.
  watch(rows, (list) => {
    if (selection.value.length === 0) return
    const remaining: Row[] = []
    for (const row of list) {
      if (selectedKeys.value.has(rowKey(row))) remaining.push(row)
      if (remaining.length === selection.value.length) break
    }
    const selectedRows = new Set(selection.value)
    const isUnchanged = remaining.length === selectedRows.size && remaining.every((row) => selectedRows.has(row))
    if (!isUnchanged) selection.value = remaining
  })

  return {
    isSelected: (key: RowKey): boolean =>
      selection.value.length > 0 ? selectedKeys.value.has(key) : key === selected.value,
    /** Adds the row to the selected ones, or removes it. */
    toggle(position: number): void {
      const row = getRow(position)
      if (row === undefined) return
      const key = rowKey(row)
      if (selectedKeys.value.has(key)) selection.value = selection.value.filter((other) => rowKey(other) !== key)
      else {
        const openPosition =
          selection.value.length === 0 && selected.value !== null ? findPosition(selected.value) : null
        const openRow = openPosition === null ? undefined : getRow(openPosition)
        selection.value = [...selection.value, ...(openRow === undefined || openRow === row ? [] : [openRow]), row]
      }
      setAnchor(position)
    },
    /** Selects all rows from the one that was chosen last to this one. */
    extendTo(position: number): void {
      const startKey = anchorKey ?? selected.value
      const start = (startKey === null ? null : findPosition(startKey)) ?? position
      anchorKey ??= startKey
      const range: Row[] = []
      for (let index = Math.min(start, position); index <= Math.max(start, position); index += 1) {
        const row = getRow(index)
        if (row !== undefined) range.push(row)
      }
      selection.value = range
    },
    /** Called when a single row was chosen, from which ranges are extended. */
    reset(position: number): void {
      setAnchor(position)
      if (selection.value.length > 0) selection.value = []
    },
  }
}

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

/** Moves through the rows of a table and selects them, with the mouse and the keyboard. */
export function useRowCursor<Row>(options: CursorOptions<Row>) {
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
    // Without a selection, the first arrow key selects the row at the cursor.
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
