import { computed, watch, type ComputedRef, type Ref } from 'vue'
import { findRowPosition } from './keyboard-navigation.ts'

type RowKey = string | number

interface RowSelectionOptions<Row> {
  readonly rows: () => readonly Row[]
  readonly getRow: (position: number) => Row | undefined
  readonly rowKey: (row: Row) => RowKey
  /** The key of the row whose details are shown; null if there is none. */
  readonly selected: Ref<RowKey | null>
  /** The rows that are selected together; empty while at most one row is selected by `selected`. */
  readonly selection: Ref<readonly Row[]>
}

interface RowSelection {
  isSelected(key: RowKey): boolean
  /** Adds the row to the selected ones, or removes it. */
  toggle(position: number): void
  /** Selects all rows from the one that was chosen last to this one. */
  extendTo(position: number): void
  /** Called when a single row was chosen, from which ranges are extended. */
  reset(position: number): void
}

/** Several rows of a table that are selected at the same time. */
export function useRowSelection<Row>(options: RowSelectionOptions<Row>): RowSelection {
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
    isSelected: (key) => (selection.value.length > 0 ? selectedKeys.value.has(key) : key === selected.value),
    toggle(position) {
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
    extendTo(position) {
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
    reset(position) {
      setAnchor(position)
      if (selection.value.length > 0) selection.value = []
    },
  }
}
