import type { Column, SortState } from './columns.ts'
import type { SortKey } from './sort.ts'

/**
 * The order after a header is pressed: ascending, descending, out. By that column alone, or, if it is `added`, next to the others.
 * null = original order.
 */
export function getNextSortState(sort: SortState | null, column: string, added: boolean): SortState | null {
  const now = sort ?? []
  const found = now.find((one) => one.column === column)
  if (!added && now.length > 1) return [{ column, direction: 'ascending' }]
  const next = !found
    ? [...(added ? now : []), { column, direction: 'ascending' } as const]
    : now.flatMap((one) =>
        one !== found ? [one] : one.direction === 'ascending' ? [{ column, direction: 'descending' } as const] : [],
      )
  return next.length === 0 ? null : next
}

/** What `sortRows` takes; columns that there are none of are passed over. */
export function buildSortKeys<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: SortState | null,
): readonly SortKey[] {
  return (sort ?? []).flatMap(({ column, direction }) => {
    const found = columns.find(({ id }) => id === column)
    return found ? [{ values: rows.map((row) => found.value(row)), descending: direction === 'descending' }] : []
  })
}
