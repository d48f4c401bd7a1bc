import type { Column, SortState } from './columns.ts'
import type { SortKey } from './sort.ts'

/**
 * Returns the order after a click on a header: ascending, descending, original. With
 * `isAdditional`, the rows stay sorted by the remaining columns too.
 * @returns null for the original order
 */
export function getNextSortState(sort: SortState | null, column: string, isAdditional: boolean): SortState | null {
  const current = sort ?? []
  const sortedColumn = current.find((entry) => entry.column === column)
  if (!isAdditional && current.length > 1) return [{ column, direction: 'ascending' }]
  const nextState = !sortedColumn
    ? [...(isAdditional ? current : []), { column, direction: 'ascending' } as const]
    : current.flatMap((entry) =>
        entry !== sortedColumn
          ? [entry]
          : entry.direction === 'ascending'
            ? [{ column, direction: 'descending' } as const]
            : [],
      )
  return nextState.length === 0 ? null : nextState
}

/** Builds the sort keys of the rows. Columns that do not exist are ignored. */
export function buildSortKeys<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: SortState | null,
): readonly SortKey[] {
  return (sort ?? []).flatMap(({ column, direction }) => {
    const sortColumn = columns.find(({ id }) => id === column)
    return sortColumn
      ? [{ values: rows.map((row) => sortColumn.value(row)), descending: direction === 'descending' }]
      : []
  })
}
