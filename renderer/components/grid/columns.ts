export type CellValue = string | number | null | undefined

export interface Column<Row> {
  readonly id: string
  /** The translated title. */
  readonly header: string
  /** Width in pixels if there is enough space; the user may change it. */
  readonly width: number
  /** True if the column takes the remaining space. */
  readonly grow?: boolean
  /** The smallest useful width in pixels: by default `width`, or that of a shortened id. */
  readonly minWidth?: number
  /** The highest number is hidden first in a narrow table; a column without one never is. */
  readonly hidePriority?: number
  /** Columns with at least this `hidePriority` are hidden before this one is below `width`. */
  readonly outranks?: number
  /** True if the row has the text also while the column is hidden, for assistive technology. */
  readonly keepsText?: boolean
  /** True if the column is not shown at any width. */
  readonly isHidden?: boolean
  readonly align?: 'end'
  /** The column is as wide as its widest text, such as a status, or as the part it returns. */
  readonly neverCut?: boolean | ((row: Row) => string)
  /**
   * The column is as wide as its widest text where there is room, or as what the function returns
   * in place of it, before others get more.
   */
  readonly fitsText?: boolean | ((row: Row) => string)
  /** True if the text has an icon beside it. */
  readonly hasIcon?: boolean
  /** True for ids and payloads. */
  readonly mono?: boolean
  /** The default is true. */
  readonly sortable?: boolean
  /** The sort key. It is also the shown value unless `text` or the slot `cell-<id>` replaces it. */
  readonly value: (row: Row) => CellValue
  readonly text?: (row: Row) => string
}

/** Returns the text of a cell. The slot `cell-<id>` takes precedence over it. */
export function getCellText<Row>({ text, value }: Column<Row>, row: Row): string {
  return String(text?.(row) ?? value(row) ?? '')
}

/** The columns that determine the order of the rows, the most significant one first. */
export type SortState = readonly SortedColumn[]

export interface SortedColumn {
  readonly column: string
  readonly direction: 'ascending' | 'descending'
}

export const MIN_COLUMN_WIDTH_PX = 48
/** Width in pixels at which both ends of an id are visible. */
const SHORT_ID_WIDTH_PX = 120

type ColumnWidths = ReadonlyMap<string, number>

/** The minimum width of a column in pixels. A width that the user set does not shrink. */
function getMinWidth<Row>({ id, width, minWidth, mono }: Column<Row>, widths: ColumnWidths): number {
  return widths.get(id) ?? minWidth ?? (mono ? Math.min(width, SHORT_ID_WIDTH_PX) : width)
}

/** Selects columns that fit; all if the width is 0, unknown. The inspector shows the others. */
export function selectFittingColumns<Row>(
  columns: readonly Column<Row>[],
  widths: ColumnWidths,
  availableWidth: number,
): readonly Column<Row>[] {
  let fittingColumns = columns.filter(({ isHidden }) => !isHidden)
  while (availableWidth > 0) {
    const candidate = fittingColumns
      // A column that the user resized is not hidden.
      .filter(({ id, hidePriority }) => hidePriority !== undefined && !widths.has(id))
      .toSorted((a, b) => (b.hidePriority ?? 0) - (a.hidePriority ?? 0))[0]
    if (!candidate) break
    const wideColumns = fittingColumns.map((column) =>
      (candidate.hidePriority ?? 0) >= (column.outranks ?? Infinity) ? { ...column, minWidth: column.width } : column,
    )
    if (computeMinGridWidth(wideColumns, widths) <= availableWidth) break
    fittingColumns = fittingColumns.filter((column) => column !== candidate)
  }
  return fittingColumns
}

/**
 * The value of `grid-template-columns`. Space beyond the minimum goes first to the growing columns
 * up to their width, then to other columns except ids, then to ids that fit their texts, then to
 * the growing columns up to twice their width, then to the other ids, and finally to the growing
 * columns again. If no column can grow further, an empty track takes the rest.
 * @param availableWidth in pixels; 0 if unknown
 */
export function buildGridTemplate<Row>(
  columns: readonly Column<Row>[],
  widths: ColumnWidths,
  availableWidth = 0,
): string {
  const minSizes = columns.map((column) => getMinWidth(column, widths))
  const sizes = distributeWidth(columns, widths, minSizes, availableWidth)
  const tracks = columns.map(({ id, width, grow }, index) => {
    const size = sizes[index] ?? 0
    if (widths.has(id)) return `${size}px`
    const isLast = index === columns.length - 1
    if (grow) return `minmax(${size}px, ${isLast ? '1fr' : getMaxTrack(width, availableWidth)})`
    return availableWidth === 0 && size < width ? `minmax(${size}px, ${width}px)` : `${size}px`
  })
  return tracks.some((track) => track.includes('fr')) ? tracks.join(' ') : `${tracks.join(' ')} minmax(0, 1fr)`
}

/** A path, which is monospaced too, is always visible. */
const isId = <Row>({ mono, hidePriority }: Column<Row>): boolean => mono === true && hidePriority !== undefined

/** Increases the sizes of the columns in the order of their importance while there is space. */
function distributeWidth<Row>(
  columns: readonly Column<Row>[],
  widths: ColumnWidths,
  minSizes: readonly number[],
  availableWidth: number,
): readonly number[] {
  const sizes = [...minSizes]
  let freeWidth = Math.max(0, availableWidth - minSizes.reduce((sum, size) => sum + size, 0))
  const raise = (isIncluded: (column: Column<Row>) => boolean | undefined, factor: number): void => {
    const raised = columns.flatMap((column, index) => {
      const missing = widths.has(column.id) || !isIncluded(column) ? 0 : factor * column.width - (sizes[index] ?? 0)
      return missing > 0 ? [{ index, missing }] : []
    })
    const missingWidth = raised.reduce((sum, { missing }) => sum + missing, 0)
    const share = missingWidth === 0 ? 0 : Math.min(1, freeWidth / missingWidth)
    for (const { index, missing } of raised) sizes[index] = (sizes[index] ?? 0) + Math.floor(missing * share)
    freeWidth -= missingWidth * share
  }
  raise(({ grow }) => grow, 1)
  raise((column) => !column.grow && !isId(column), 1)
  raise((column) => !column.grow && column.fitsText !== undefined, 1)
  raise(({ grow }) => grow, 2)
  raise(({ grow }) => !grow, 1)
  return sizes
}

/** Growing columns no longer take all of the remaining space of a table of this width. */
const WIDE_TABLE_MIN_PX = 1_800

/** Growing columns of a very wide table are limited, so that those after them stay near. */
const getMaxTrack = (width: number, availableWidth: number): string =>
  availableWidth < WIDE_TABLE_MIN_PX ? '1fr' : `${Math.max(600, Math.round(2.5 * width))}px`

/** Returns the width in pixels below which the grid scrolls sideways. */
export function computeMinGridWidth<Row>(columns: readonly Column<Row>[], widths: ColumnWidths): number {
  return columns.reduce((sum, column) => sum + getMinWidth(column, widths), 0)
}

/** Space in pixels around the text of a cell, and of an icon next to the text. */
const CELL_PADDING_PX = 18
const ICON_PX = 18
/** A longer text is cut in every column. */
const MAX_TEXT_WIDTH_PX = 320
const MAX_FITTED_WIDTH_PX = 560

/**
 * Widens columns so that no header is cut, and no text in a column that is marked `neverCut`. Gives
 * those that fit their texts the width of these.
 * @param headerWidths in pixels by column id, like `textWidths`; a missing width is unknown
 */
export function widenToText<Row>(
  columns: readonly Column<Row>[],
  headerWidths: ReadonlyMap<string, number>,
  textWidths: ReadonlyMap<string, number>,
): readonly Column<Row>[] {
  return columns.map((column) => {
    const headerWidth = (headerWidths.get(column.id) ?? 0) + CELL_PADDING_PX + (column.sortable === false ? 0 : ICON_PX)
    const neededWidth = headerWidths.has(column.id) ? Math.ceil(headerWidth) : 0
    const textWidth = textWidths.get(column.id) ?? 0
    const cellWidth = (maxWidth: number): number =>
      textWidth && Math.ceil(Math.min(textWidth, maxWidth) + CELL_PADDING_PX + (column.hasIcon ? ICON_PX : 0))
    const isFitted = column.fitsText !== undefined && !column.neverCut
    const uncutWidth = isFitted ? 0 : cellWidth(MAX_TEXT_WIDTH_PX)
    const minWidth = Math.max(neededWidth, uncutWidth, getMinWidth(column, new Map()))
    const fittedWidth = isFitted ? cellWidth(MAX_FITTED_WIDTH_PX) : 0
    return { ...column, minWidth, width: Math.max(fittedWidth || column.width, minWidth) }
  })
}
