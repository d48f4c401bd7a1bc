/** A tall list in a scrolled box, all in CSS pixels. */
export interface TallList {
  readonly rows: number
  readonly rowHeight: number
  /** Height of the box. */
  readonly view: number
  /** Height of what is scrolled: all rows, or less where a browser gives no element so much. */
  readonly total: number
}

/**
 * Which row stands at the upper edge at a scroll position; a fraction of a row counts. The first row is at the top of the way
 * and the last one at its end, however much shorter the way is than all rows.
 */
export function topRowAt(list: TallList, scrollTop: number): number {
  const way = list.total - list.view
  return way <= 0 ? 0 : (Math.min(way, Math.max(0, scrollTop)) / way) * hiddenRows(list)
}

/** Where to scroll so that a row is in sight: `auto` as little as possible, `center` in the middle. */
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

/** Rows that never fit into the box together with the others. */
const hiddenRows = ({ rows, rowHeight, view }: TallList): number => rows - view / rowHeight

const PROBE = 33_000_000
const COMMON = 15_000_000
let tallest = 0

/** As tall as an element may be here: Chromium ends at 33,554,428 px, Firefox at 17,895,697 px. */
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
