/** A tall list in a scrolling box, all in CSS pixels. */
export interface TallList {
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
export function topRowAt(list: TallList, scrollTop: number): number {
  const way = list.total - list.view
  return way <= 0 ? 0 : (Math.min(way, Math.max(0, scrollTop)) / way) * hiddenRows(list)
}

/** The scroll position that brings a row into view: `auto` moves as little as possible, `center` puts it in the middle. */
export function scrollTopFor(list: TallList, row: number, align: 'auto' | 'center', scrollTop: number): number {
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

const PROBE = 33_000_000
const COMMON = 15_000_000
let tallest = 0

/** Maximum height of an element here: 33,554,428 px in Chromium, 17,895,697 px in Firefox. */
export function tallestElement(): number {
  if (tallest === 0) {
    const probe = document.createElement('div')
    probe.style.cssText = `position:fixed;width:1px;height:${PROBE}px;visibility:hidden`
    document.body.append(probe)
    tallest = probe.getBoundingClientRect().height >= PROBE ? PROBE : COMMON
    probe.remove()
  }
  return tallest
}
