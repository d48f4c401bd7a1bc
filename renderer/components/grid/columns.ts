export type CellValue = string | number | null | undefined

/** A column of a grid. */
export interface Column<Row> {
  readonly id: string
  /** Already translated. */
  readonly header: string
  /** Pixels at first; the person may change it. */
  readonly width: number
  /** Takes what room is left. */
  readonly grow?: boolean
  readonly align?: 'end'
  /** Ids and payloads. */
  readonly mono?: boolean
  /** Default true. */
  readonly sortable?: boolean
  /** What the column sorts by, and shows unless `text` or the slot `cell-<id>` says otherwise. */
  readonly value: (row: Row) => CellValue
  readonly text?: (row: Row) => string
}

export interface SortState {
  readonly column: string
  readonly direction: 'ascending' | 'descending'
}

/** Narrowest a column can be made. */
export const MIN_COLUMN = 48

/** `grid-template-columns` for these widths; where no column grows, an empty track takes the rest. */
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
