export type CellValue = string | number | null | undefined

export interface Column<Row> {
  readonly id: string
  /** Already translated. */
  readonly header: string
  /** Width in pixels if there is room; the user may change it. */
  readonly width: number
  /** Takes the remaining space. */
  readonly grow?: boolean
  /** Least useful width in pixels; default: `width`, or the width of a shortened id. */
  readonly minWidth?: number
  /**
   * In a narrow table, the column with the highest number is hidden first; a column without one
   * stays.
   */
  readonly hidePriority?: number
  readonly align?: 'end'
  /** For ids and payloads. */
  readonly mono?: boolean
  /** Default true. */
  readonly sortable?: boolean
  /** Sort key; also the shown value unless `text` or the slot `cell-<id>` overrides it. */
  readonly value: (row: Row) => CellValue
  readonly text?: (row: Row) => string
}

/** The text of a cell, unless a slot draws it. */
export const getCellText = <Row>({ text, value }: Column<Row>, row: Row): string =>
  String(text?.(row) ?? value(row) ?? '')

/** The columns that rows are sorted by, most significant first. */
export type SortState = readonly SortedColumn[]

export interface SortedColumn {
  readonly column: string
  readonly direction: 'ascending' | 'descending'
}

export const MIN_COLUMN_WIDTH_PX = 48
/** Width in pixels at which both ends of an id are visible. */
const SHORT_ID_WIDTH_PX = 120

type ColumnWidths = ReadonlyMap<string, number>

/** The minimum width of a column in pixels; a width that the user set does not shrink. */
function getMinWidth<Row>({ id, width, minWidth, mono }: Column<Row>, widths: ColumnWidths): number {
  return widths.get(id) ?? minWidth ?? (mono ? Math.min(width, SHORT_ID_WIDTH_PX) : width)
}

/**
 * Selects the columns that fit into `availableWidth` pixels; 0: not measured yet, all columns. The
 * inspector has the others.
 */
export function selectFittingColumns<Row>(
  columns: readonly Column<Row>[],
  widths: ColumnWidths,
  availableWidth: number,
): readonly Column<Row>[] {
  let fittingColumns = columns
  while (availableWidth > 0 && computeMinGridWidth(fittingColumns, widths) > availableWidth) {
    const candidate = fittingColumns
      // A column that the user resized stays.
      .filter(({ id, hidePriority }) => hidePriority !== undefined && !widths.has(id))
      .toSorted((a, b) => (b.hidePriority ?? 0) - (a.hidePriority ?? 0))[0]
    if (!candidate) break
    fittingColumns = fittingColumns.filter((column) => column !== candidate)
  }
  return fittingColumns
}

/**
 * The value of `grid-template-columns`. Growing columns get their width before others get more than
 * their minimum, and share what is left; if none grows or can grow further, an empty track takes
 * the rest.
 * @param availableWidth in pixels; 0: not measured yet
 */
export function buildGridTemplate<Row>(
  columns: readonly Column<Row>[],
  widths: ColumnWidths,
  availableWidth = 0,
): string {
  const freeWidth = Math.max(0, availableWidth - computeMinGridWidth(columns, widths))
  const growingCount = columns.filter(({ id, grow }) => grow && !widths.has(id)).length
  const tracks = columns.map((column) => {
    const { id, width, grow } = column
    if (widths.has(id)) return `${widths.get(id)}px`
    const minColumnWidth = getMinWidth(column, widths)
    return grow
      ? `minmax(${Math.max(minColumnWidth, Math.min(width, Math.floor(minColumnWidth + freeWidth / growingCount)))}px, ${getMaxTrack(width, availableWidth)})`
      : minColumnWidth < width
        ? `minmax(${minColumnWidth}px, ${width}px)`
        : `${width}px`
  })
  return tracks.some((track) => track.includes('fr')) ? tracks.join(' ') : `${tracks.join(' ')} minmax(0, 1fr)`
}

/** In a table of at least this width, growing columns no longer take all of the remaining space. */
const WIDE_TABLE_MIN_PX = 1_800

/**
 * In a very wide table, growing columns are limited, so that the other columns stay near the
 * titles.
 */
const getMaxTrack = (width: number, availableWidth: number): string =>
  availableWidth < WIDE_TABLE_MIN_PX ? '1fr' : `${Math.max(600, Math.round(2.5 * width))}px`

/** Below this width in pixels, the grid scrolls sideways. */
export function computeMinGridWidth<Row>(columns: readonly Column<Row>[], widths: ColumnWidths): number {
  return columns.reduce((sum, column) => sum + getMinWidth(column, widths), 0)
}
