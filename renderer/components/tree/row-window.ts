import { useEventListener, useResizeObserver } from '@vueuse/core'
import { computed, onScopeDispose, ref, type Ref, watch } from 'vue'

/** A long list in a scrolling box, in CSS pixels. */
interface TallList {
  readonly rows: number
  readonly rowHeight: number
  /** Height of the box without its sticky head. */
  readonly view: number
  /** Height of the scrolled content: all rows, or less if the browser limits elements. */
  readonly total: number
}

/** The row at the upper edge with its fraction; the scroll range covers all rows. */
function computeTopRow(list: TallList, scrollTop: number): number {
  const scrollRange = list.total - list.view
  return scrollRange <= 0 ? 0 : (Math.min(scrollRange, Math.max(0, scrollTop)) / scrollRange) * countHiddenRows(list)
}

/** Computes where a row is visible: `auto` moves as little as possible, `center` to the middle. */
function computeScrollTop(list: TallList, row: number, align: 'auto' | 'center', scrollTop: number): number {
  const hiddenCount = countHiddenRows(list)
  if (hiddenCount <= 0) return 0
  const visibleCount = list.view / list.rowHeight
  const topRow = computeTopRow(list, scrollTop)
  const targetTop =
    align === 'center'
      ? row + 0.5 - visibleCount / 2
      : row < topRow
        ? row
        : row + 1 > topRow + visibleCount
          ? row + 1 - visibleCount
          : topRow
  if (targetTop === topRow) return scrollTop
  return (Math.min(hiddenCount, Math.max(0, targetTop)) / hiddenCount) * (list.total - list.view)
}

const countHiddenRows = ({ rows, rowHeight, view }: TallList): number => rows - view / rowHeight

const PROBE_HEIGHT_PX = 33_000_000
const FALLBACK_MAX_HEIGHT_PX = 15_000_000
let maxElementHeight = 0

/** 33,554,428 px in Chromium, 17,895,697 px in Firefox. */
function measureMaxElementHeight(): number {
  if (maxElementHeight === 0) {
    const probe = document.createElement('div')
    probe.style.cssText = `position:fixed;width:1px;height:${PROBE_HEIGHT_PX}px;visibility:hidden`
    document.body.append(probe)
    maxElementHeight =
      probe.getBoundingClientRect().height >= PROBE_HEIGHT_PX ? PROBE_HEIGHT_PX : FALLBACK_MAX_HEIGHT_PX
    probe.remove()
  }
  return maxElementHeight
}

/** Rendered above and below the visible rows, so that scrolling finds them ready. */
const OVERSCAN_ROWS = 12

interface WindowOptions {
  /** Height in pixels of a sticky element at the beginning of the box. */
  readonly head?: number
  readonly overscan?: number
  /** True if the rows are side by side; `rowHeight` is then their width. */
  readonly isHorizontal?: boolean
}

/**
 * Returns the rendered rows of a scrolling box with their positions, and which of them are in sight
 * (`endInSight` is exclusive). `scrollTo` scrolls to a row, `toTop` to the first one. All rows have
 * the same height, so only the box is measured (`viewSize`). Before the measurement, the box counts
 * as high as the window, which is enough to fill the first frame.
 */
export function useRowWindow(
  scroller: Readonly<Ref<HTMLElement | null>>,
  count: Readonly<Ref<number>>,
  rowHeight: Readonly<Ref<number>>,
  { head = 0, overscan = OVERSCAN_ROWS, isHorizontal = false }: WindowOptions = {},
) {
  const [scrollProperty, sizeProperty] = isHorizontal
    ? (['scrollLeft', 'clientWidth'] as const)
    : (['scrollTop', 'clientHeight'] as const)
  const scrollOffset = ref(0)
  const viewSize = ref(isHorizontal ? window.innerWidth : window.innerHeight)

  function measure(): void {
    const box = scroller.value
    if (!box) return
    scrollOffset.value = box[scrollProperty]
    // A hidden box has no height, so the last height stays.
    if (box[sizeProperty] > 0) viewSize.value = Math.max(0, box[sizeProperty] - head)
  }
  useResizeObserver(scroller, measure)
  const { margin, narrow } = useMargin(count, overscan)

  function onScroll(): void {
    const newOffset = scroller.value?.[scrollProperty] ?? 0
    if (Math.abs(newOffset - scrollOffset.value) > viewSize.value) narrow()
    scrollOffset.value = newOffset
  }
  useEventListener(scroller, 'scroll', onScroll, { passive: true })

  /** If all rows together exceed the maximum element height, scrolling is scaled. */
  const scale = computed(() => {
    const height = count.value * rowHeight.value
    return height < 15_000_000 ? 1 : Math.max(1, height / measureMaxElementHeight())
  })
  const total = computed(() => (count.value * rowHeight.value) / scale.value)
  const list = computed<TallList>(() => ({
    rows: count.value,
    rowHeight: rowHeight.value,
    view: viewSize.value,
    total: total.value,
  }))

  const topRow = computed(() => computeTopRow(list.value, scrollOffset.value))
  const firstInSight = computed(() => Math.floor(topRow.value))
  const endInSight = computed(() => Math.min(count.value, Math.ceil(topRow.value + viewSize.value / rowHeight.value)))
  const first = computed(() => Math.max(0, firstInSight.value - margin.value))
  const end = computed(() => Math.min(count.value, endInSight.value + margin.value))
  /** Position of row 0 in pixels. A scaled list is rendered around its scroll position. */
  const origin = computed(() =>
    scale.value === 1 ? 0 : Math.round(scrollOffset.value - topRow.value * rowHeight.value),
  )
  const items = computed<readonly { row: number; y: number }[]>(() => {
    const [originY, start, height] = [origin.value, first.value, rowHeight.value]
    return Array.from({ length: Math.max(0, end.value - start) }, (_, n) => ({
      row: start + n,
      y: originY + (start + n) * height,
    }))
  })

  function scrollTo(row: number, align: 'auto' | 'center'): void {
    const box = scroller.value
    if (!box) return
    measure()
    box[scrollProperty] = computeScrollTop(list.value, row, align, box[scrollProperty])
    scrollOffset.value = box[scrollProperty]
  }

  /** Scrolls to the first row. A hidden box emits no scroll event. */
  function toTop(): void {
    if (scroller.value) scroller.value[scrollProperty] = 0
    scrollOffset.value = 0
  }

  return { items, firstInSight, endInSight, viewSize, scrollTo, toTop, total }
}

/**
 * Returns the number of rows to render above and below the visible ones. The number is 0 in the
 * frame in which the first rows appear, to keep that frame short, and while the user scrolls in
 * large steps (`narrow`), because every step would discard these rows.
 */
function useMargin(
  count: Readonly<Ref<number>>,
  overscan: number,
): { margin: Readonly<Ref<number>>; narrow: () => void } {
  const margin = ref(0)
  let frame = 0
  const requestFrame = (callback: () => void): void => void (frame = requestAnimationFrame(callback))
  function narrow(): void {
    cancelAnimationFrame(frame)
    margin.value = 0
    // The first callback runs in the frame that shows the rows.
    requestFrame(() => requestFrame(() => (margin.value = overscan)))
  }
  watch(
    () => count.value > 0,
    (hasRows) => {
      if (hasRows) return narrow()
      cancelAnimationFrame(frame)
      margin.value = 0
    },
    { immediate: true },
  )
  onScopeDispose(() => cancelAnimationFrame(frame))
  return { margin, narrow }
}
