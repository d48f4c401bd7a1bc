import { useEventListener, useResizeObserver } from '@vueuse/core'
import { computed, onScopeDispose, ref, type Ref, watch } from 'vue'

/** A tall list in a scrolling box, all in CSS pixels. */
interface TallList {
  readonly rows: number
  readonly rowHeight: number
  /** Height of the box. */
  readonly view: number
  /** Height of the scrolled content: all rows, or less if the browser limits element height. */
  readonly total: number
}

/**
 * The row at the upper edge for a scroll position, with its fraction. The scroll range maps onto all rows, however much shorter than them
 * it is.
 */
function topRowAt(list: TallList, scrollTop: number): number {
  const way = list.total - list.view
  return way <= 0 ? 0 : (Math.min(way, Math.max(0, scrollTop)) / way) * hiddenRows(list)
}

/** The scroll position that brings a row into view: `auto` moves as little as possible, `center` puts it in the middle. */
function scrollTopFor(list: TallList, row: number, align: 'auto' | 'center', scrollTop: number): number {
  const hidden = hiddenRows(list)
  if (hidden <= 0) return 0
  const inView = list.view / list.rowHeight
  const top = topRowAt(list, scrollTop)
  const wanted =
    align === 'center' ? row + 0.5 - inView / 2 : row < top ? row : row + 1 > top + inView ? row + 1 - inView : top
  if (wanted === top) return scrollTop
  return (Math.min(hidden, Math.max(0, wanted)) / hidden) * (list.total - list.view)
}

/** Rows that don't fit into the box at the same time. */
const hiddenRows = ({ rows, rowHeight, view }: TallList): number => rows - view / rowHeight

const PROBE_HEIGHT_PX = 33_000_000
const FALLBACK_MAX_HEIGHT_PX = 15_000_000
let tallest = 0

/** Maximum height of an element here: 33,554,428 px in Chromium, 17,895,697 px in Firefox. */
function tallestElement(): number {
  if (tallest === 0) {
    const probe = document.createElement('div')
    probe.style.cssText = `position:fixed;width:1px;height:${PROBE_HEIGHT_PX}px;visibility:hidden`
    document.body.append(probe)
    tallest = probe.getBoundingClientRect().height >= PROBE_HEIGHT_PX ? PROBE_HEIGHT_PX : FALLBACK_MAX_HEIGHT_PX
    probe.remove()
  }
  return tallest
}

/** Rows drawn above and below those in view, so that a scroll finds them there. */
const OVERSCAN_ROWS = 12

interface WindowOptions {
  /** Pixels at the beginning of the box that are covered by something that stays. */
  readonly head?: number
  /** Rows drawn on either side of those in view. */
  readonly overscan?: number
  /** The rows stand side by side; what is called their height is their width. */
  readonly isHorizontal?: boolean
}

/**
 * The rows in view in a scrolling box, and their positions; `scrollTo` brings another one into view, `toTop` the first. All rows have one
 * height, so that nothing is measured but the box. Until the box has been measured, it is taken to be as high as the window: the first frame has its rows.
 */
export function useRowWindow(
  scroller: Readonly<Ref<HTMLElement | null>>,
  count: Readonly<Ref<number>>,
  rowHeight: Readonly<Ref<number>>,
  { head = 0, overscan = OVERSCAN_ROWS, isHorizontal = false }: WindowOptions = {},
) {
  const [scroll, size] = isHorizontal
    ? (['scrollLeft', 'clientWidth'] as const)
    : (['scrollTop', 'clientHeight'] as const)
  const offset = ref(0)
  const view = ref(isHorizontal ? window.innerWidth : window.innerHeight)

  function measure(): void {
    const box = scroller.value
    if (!box) return
    offset.value = box[scroll]
    // A hidden box has no height, and gets back the one it had.
    if (box[size] > 0) view.value = Math.max(0, box[size] - head)
  }
  useResizeObserver(scroller, measure)
  const { margin, narrow } = useMargin(count, overscan)

  function follow(): void {
    const to = scroller.value?.[scroll] ?? 0
    if (Math.abs(to - offset.value) > view.value) narrow()
    offset.value = to
  }
  useEventListener(scroller, 'scroll', follow, { passive: true })

  /** If all rows together exceed the maximum element height, scrolling is scaled. */
  const scale = computed(() => {
    const height = count.value * rowHeight.value
    return height < 15_000_000 ? 1 : Math.max(1, height / tallestElement())
  })
  const total = computed(() => (count.value * rowHeight.value) / scale.value)
  const list = computed<TallList>(() => ({
    rows: count.value,
    rowHeight: rowHeight.value,
    view: view.value,
    total: total.value,
  }))

  const top = computed(() => topRowAt(list.value, offset.value))
  const first = computed(() => Math.max(0, Math.floor(top.value) - margin.value))
  const end = computed(() => Math.min(count.value, Math.ceil(top.value + view.value / rowHeight.value) + margin.value))
  /** Position of the row 0; a scaled list is drawn around where it is scrolled to. */
  const origin = computed(() => (scale.value === 1 ? 0 : Math.round(offset.value - top.value * rowHeight.value)))
  const items = computed<readonly { row: number; y: number }[]>(() => {
    const [from, start, height] = [origin.value, first.value, rowHeight.value]
    return Array.from({ length: Math.max(0, end.value - start) }, (_, n) => ({
      row: start + n,
      y: from + (start + n) * height,
    }))
  })

  function scrollTo(row: number, align: 'auto' | 'center'): void {
    const box = scroller.value
    if (!box) return
    measure()
    box[scroll] = scrollTopFor(list.value, row, align, box[scroll])
    offset.value = box[scroll]
  }

  /** Back to the first row. A box that was hidden is there already, and says so by no event. */
  function toTop(): void {
    if (scroller.value) scroller.value[scroll] = 0
    offset.value = 0
  }

  return { items, scrollTo, toTop, total }
}

/**
 * How many rows to draw beyond those in view: none in the frame in which the first rows appear, because that one has enough to do. Nor while
 * the box is scrolled by leaps (`narrow`): each would leave behind those that were drawn around the last.
 */
function useMargin(
  count: Readonly<Ref<number>>,
  overscan: number,
): { margin: Readonly<Ref<number>>; narrow: () => void } {
  const margin = ref(0)
  let frame = 0
  const nextFrame = (then: () => void): void => void (frame = requestAnimationFrame(then))
  function narrow(): void {
    cancelAnimationFrame(frame)
    margin.value = 0
    // The first callback still belongs to the frame that shows the rows.
    nextFrame(() => nextFrame(() => (margin.value = overscan)))
  }
  watch(
    () => count.value > 0,
    (some) => {
      if (some) return narrow()
      cancelAnimationFrame(frame)
      margin.value = 0
    },
    { immediate: true },
  )
  onScopeDispose(() => cancelAnimationFrame(frame))
  return { margin, narrow }
}
