import type { Column } from './columns.ts'

/** The user's changes to the columns of a table, by column id. Widths are in pixels. */
export interface GridLayout {
  order: string[]
  hidden: string[]
  widths: Record<string, number>
}

export const defaultGridLayout: GridLayout = { order: [], hidden: [], widths: {} }

/** Sorts all columns in the user's order; those missing from it keep their position. */
export function orderColumns<Row>(columns: readonly Column<Row>[], layout: GridLayout): readonly Column<Row>[] {
  const rank = new Map(layout.order.map((id, index) => [id, index]))
  const reordered = columns
    .filter(({ id }) => rank.has(id))
    .sort((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0))
  let nextIndex = 0
  return columns.map((column) => (rank.has(column.id) ? (reordered[nextIndex++] ?? column) : column))
}

/** Returns the columns that the user has not hidden, and at least one column. */
export function getVisibleColumns<Row>(columns: readonly Column<Row>[], layout: GridLayout): readonly Column<Row>[] {
  const ordered = orderColumns(columns, layout)
  const visibleColumns = ordered.filter(({ id }) => !layout.hidden.includes(id))
  return visibleColumns.length > 0 ? visibleColumns : ordered.slice(0, 1)
}

export function moveColumn<Row>(
  columns: readonly Column<Row>[],
  layout: GridLayout,
  id: string,
  offset: number,
): GridLayout {
  const order = orderColumns(columns, layout).map((column) => column.id)
  const index = order.indexOf(id)
  const targetIndex = Math.max(0, Math.min(order.length - 1, index + offset))
  if (index < 0 || index === targetIndex) return layout
  order.splice(targetIndex, 0, ...order.splice(index, 1))
  return { ...layout, order }
}

export function toggleColumn(layout: GridLayout, id: string): GridLayout {
  return {
    ...layout,
    hidden: layout.hidden.includes(id) ? layout.hidden.filter((hiddenId) => hiddenId !== id) : [...layout.hidden, id],
  }
}
