import type { Column } from './columns.ts'

/** What the user changed about a table's columns, by id; widths in pixels. */
export interface GridLayout {
  order: string[]
  hidden: string[]
  widths: Record<string, number>
}

export const defaultGridLayout: GridLayout = { order: [], hidden: [], widths: {} }

/** All columns in the user's order; columns unknown to that order stay where the table puts them. */
export function orderColumns<Row>(columns: readonly Column<Row>[], layout: GridLayout): readonly Column<Row>[] {
  const rank = new Map(layout.order.map((id, at) => [id, at]))
  const known = columns.filter(({ id }) => rank.has(id)).sort((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0))
  let next = 0
  return columns.map((column) => (rank.has(column.id) ? (known[next++] ?? column) : column))
}

/** The visible columns; there is always at least one. */
export function getVisibleColumns<Row>(columns: readonly Column<Row>[], layout: GridLayout): readonly Column<Row>[] {
  const all = orderColumns(columns, layout)
  const shown = all.filter(({ id }) => !layout.hidden.includes(id))
  return shown.length > 0 ? shown : all.slice(0, 1)
}

/** The layout with one column moved by this many positions. */
export function moveColumn<Row>(
  columns: readonly Column<Row>[],
  layout: GridLayout,
  id: string,
  by: number,
): GridLayout {
  const order = orderColumns(columns, layout).map((column) => column.id)
  const at = order.indexOf(id)
  const to = Math.max(0, Math.min(order.length - 1, at + by))
  if (at < 0 || at === to) return layout
  order.splice(to, 0, ...order.splice(at, 1))
  return { ...layout, order }
}

export const toggleColumn = (layout: GridLayout, id: string): GridLayout => ({
  ...layout,
  hidden: layout.hidden.includes(id) ? layout.hidden.filter((one) => one !== id) : [...layout.hidden, id],
})
