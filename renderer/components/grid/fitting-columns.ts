import { useElementSize } from '@vueuse/core'
import { computed, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'
import {
  buildGridTemplate,
  computeMinGridWidth,
  getCellText,
  selectFittingColumns,
  widenToText,
  type Column,
} from './columns.ts'

/** Measures without layout. Returns a function of pixels; 0 if the browser cannot measure. */
function createTextMeasure(isMono = false): (text: string, element: Element | null) => number {
  const widths = new Map<string, number>()
  let context: CanvasRenderingContext2D | null = null
  return (text, element) => {
    if (element === null) return 0
    if (context === null) {
      context = document.createElement('canvas').getContext('2d')
      const style = getComputedStyle(element)
      const monoFont = `${style.getPropertyValue('--mono-size')} ${style.getPropertyValue('--font-mono')}`
      if (context) context.font = isMono ? monoFont : style.font
    }
    let width = widths.get(text)
    if (width === undefined) {
      if (widths.size > MAX_CACHED_TEXTS) widths.clear()
      width = context?.measureText(text).width ?? 0
      widths.set(text, width)
    }
    return width
  }
}

const MAX_CACHED_TEXTS = 2_000

interface ColumnSpace<Row> {
  readonly scroller: Readonly<ShallowRef<HTMLElement | null>>
  readonly columns: () => readonly Column<Row>[]
  /** Widths in pixels of the columns that the user resized. */
  readonly widths: () => ReadonlyMap<string, number>
  /** The rows whose texts may not be cut. */
  readonly visibleRows: () => readonly Row[]
}

/** Columns that fit into the scroller, and custom properties for the layout of rows. */
export function useFittingColumns<Row>({ scroller, columns, widths, visibleRows }: ColumnSpace<Row>): {
  fittingColumns: ComputedRef<readonly Column<Row>[]>
  /** With the columns of which only the text is kept. */
  cellColumns: ComputedRef<readonly Column<Row>[]>
  style: ComputedRef<Record<string, string>>
} {
  const { width } = useElementSize(scroller)
  const measure = createTextMeasure()
  const measureMono = createTextMeasure(true)
  const headerWidths = computed(() => new Map(columns().map(({ id, header }) => [id, measure(header, scroller.value)])))
  /** The widest text of each column so far, so that no column becomes narrower while scrolling. */
  const textWidths = shallowRef<ReadonlyMap<string, number>>(new Map())
  watch(
    () => [visibleRows(), columns(), scroller.value] as const,
    ([rows, all, element]) => {
      const next = new Map(textWidths.value)
      for (const column of all) {
        const measured = column.neverCut ?? column.fitsText
        if (!measured) continue
        const getText = measured === true ? (row: Row) => getCellText(column, row) : measured
        const measureText = column.mono ? measureMono : measure
        const rowWidths = rows.map((row) => measureText(getText(row), element))
        next.set(column.id, Math.max(next.get(column.id) ?? 0, ...rowWidths))
      }
      if ([...next].some(([id, textWidth]) => textWidths.value.get(id) !== textWidth)) textWidths.value = next
    },
    { immediate: true },
  )
  const widened = computed(() => widenToText(columns(), headerWidths.value, textWidths.value))
  const fittingColumns = computed(() => selectFittingColumns(widened.value, widths(), width.value))
  const cellColumns = computed(() => [
    ...fittingColumns.value,
    ...widened.value.filter((column) => column.keepsText && !fittingColumns.value.includes(column)),
  ])
  const style = computed(() => ({
    '--grid-columns': buildGridTemplate(fittingColumns.value, widths(), width.value),
    '--grid-width': `${computeMinGridWidth(fittingColumns.value, widths())}px`,
  }))
  return { fittingColumns, cellColumns, style }
}
