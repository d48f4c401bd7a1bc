export type CellValue = string | number | null | undefined

/** A column of a grid. */
export interface Column<Row> {
  readonly id: string
  /** Already translated. */
  readonly header: string
  /** Initial width in pixels; the user may change it. */
  readonly width: number
  /** Takes the remaining space. */
  readonly grow?: boolean
  readonly align?: 'end'
  /** For ids and payloads. */
  readonly mono?: boolean
  /** Default true. */
  readonly sortable?: boolean
  /** Sort key; also what is shown unless `text` or the slot `cell-<id>` overrides it. */
  readonly value: (row: Row) => CellValue
  readonly text?: (row: Row) => string
}

export interface SortState {
  readonly column: string
  readonly direction: 'ascending' | 'descending'
}

/** Minimum width of a column. */
export const MIN_COLUMN = 48

/** `grid-template-columns` for these widths; if no column grows, an empty track takes the rest. */
export function gridTemplate<Row>(columns: readonly Column<Row>[], widths: ReadonlyMap<string, number>): string {
  const tracks = columns.map(({ id, width, grow }) => {
    const pixels = `${widths.get(id) ?? width}px`
    return grow && !widths.has(id) ? `minmax(${pixels}, 1fr)` : pixels
  })
  return tracks.some((track) => track.includes('fr')) ? tracks.join(' ') : `${tracks.join(' ')} minmax(0, 1fr)`
}

/** Width below which the grid scrolls sideways. */
export function minimumWidth<Row>(columns: readonly Column<Row>[], widths: ReadonlyMap<string, number>): number {
  return columns.reduce((sum, { id, width }) => sum + (widths.get(id) ?? width), 0)
}
