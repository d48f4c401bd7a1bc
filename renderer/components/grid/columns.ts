export type CellValue = string | number | null | undefined

/** A column of a grid. */
export interface Column<Row> {
  readonly id: string
  /** Already translated. */
  readonly header: string
  /** Width in pixels where there is room; the user may change it. */
  readonly width: number
  /** Takes the remaining space. */
  readonly grow?: boolean
  /** Width in pixels below which it is no longer useful; by default its width, or what a shortened id needs. */
  readonly minWidth?: number
  /** The column with the highest number leaves first when the table gets narrow; without one it stays. */
  readonly hidePriority?: number
  readonly align?: 'end'
  /** For ids and payloads. */
  readonly mono?: boolean
  /** Default true. */
  readonly sortable?: boolean
  /** Sort key; also what is shown unless `text` or the slot `cell-<id>` overrides it. */
  readonly value: (row: Row) => CellValue
  readonly text?: (row: Row) => string
}

/** What a cell shows, unless a slot draws it. */
export const getCellText = <Row>({ text, value }: Column<Row>, row: Row): string =>
  String(text?.(row) ?? value(row) ?? '')

/** The columns that rows are sorted by, the first of which counts most. */
export type SortState = readonly SortedColumn[]

export interface SortedColumn {
  readonly column: string
  readonly direction: 'ascending' | 'descending'
}

/** Minimum width of a column. */
export const MIN_COLUMN_WIDTH_PX = 48
/** Width in pixels in which the two ends of an id can be told apart. */
const SHORT_ID_WIDTH_PX = 120

type ColumnWidths = ReadonlyMap<string, number>

/** Pixels that a column takes at least; what the user set is not shrunk. */
function leastOf<Row>({ id, width, minWidth: least, mono }: Column<Row>, widths: ColumnWidths): number {
  return widths.get(id) ?? least ?? (mono ? Math.min(width, SHORT_ID_WIDTH_PX) : width)
}

/** The columns that fit into this many pixels; the others are still in the inspector. 0 = not measured yet: all. */
export function selectFittingColumns<Row>(
  columns: readonly Column<Row>[],
  widths: ColumnWidths,
  room: number,
): readonly Column<Row>[] {
  let shown = columns
  while (room > 0 && computeMinGridWidth(shown, widths) > room) {
    const next = shown
      // A column that the user resized is wanted.
      .filter(({ id, hidePriority: leaves }) => leaves !== undefined && !widths.has(id))
      .toSorted((a, b) => (b.hidePriority ?? 0) - (a.hidePriority ?? 0))[0]
    if (!next) break
    shown = shown.filter((column) => column !== next)
  }
  return shown
}

/**
 * `grid-template-columns` for these widths in this many pixels (0 = not measured yet). What grows gets its width before the others get
 * more than they need, and what is left; if no column grows, or none grows further, an empty track takes the rest.
 */
export function buildGridTemplate<Row>(columns: readonly Column<Row>[], widths: ColumnWidths, room = 0): string {
  const free = Math.max(0, room - computeMinGridWidth(columns, widths))
  const growing = columns.filter(({ id, grow }) => grow && !widths.has(id)).length
  const tracks = columns.map((column) => {
    const { id, width, grow } = column
    if (widths.has(id)) return `${widths.get(id)}px`
    const least = leastOf(column, widths)
    return grow
      ? `minmax(${Math.max(least, Math.min(width, Math.floor(least + free / growing)))}px, ${widest(width, room)})`
      : least < width
        ? `minmax(${least}px, ${width}px)`
        : `${width}px`
  })
  return tracks.some((track) => track.includes('fr')) ? tracks.join(' ') : `${tracks.join(' ')} minmax(0, 1fr)`
}

/** Pixels of a table from which on its columns no longer share all of it. */
const WIDE_TABLE_MIN_PX = 1_800

/** In a very wide table, what belongs to a title stays near it; what is left over stays free. */
const widest = (width: number, room: number): string =>
  room < WIDE_TABLE_MIN_PX ? '1fr' : `${Math.max(600, Math.round(2.5 * width))}px`

/** Width below which the grid scrolls sideways. */
export function computeMinGridWidth<Row>(columns: readonly Column<Row>[], widths: ColumnWidths): number {
  return columns.reduce((sum, column) => sum + leastOf(column, widths), 0)
}
