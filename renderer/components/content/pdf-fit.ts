/** Maximum canvas size: browsers refuse more, or it takes more memory than a page is worth. */
const MOST_EDGE = 16_384
const MOST_PIXELS = 2 ** 25

/** How a PDF page is drawn. */
interface Fit {
  /** Screen pixels per point of the page. */
  readonly scale: number
  /** Canvas pixels per point of the page. */
  readonly drawn: number
  /** Smaller, or coarser on the screen, than requested: no canvas could hold it. */
  readonly limited: boolean
}

/**
 * Fits a page of `width` x `height` points into `room` pixels, `zoom` times as wide, on a screen with `ratio` device pixels per CSS pixel.
 */
export function fitPage(width: number, height: number, room: number, zoom: number, ratio: number): Fit {
  const wanted = (room / width) * zoom
  const longest = MOST_EDGE / Math.max(width, height)
  const scale = Math.min(wanted, longest)
  const drawn = Math.min(scale * ratio, longest, Math.sqrt(MOST_PIXELS / (width * height)))
  return { scale, drawn, limited: scale < wanted || drawn < scale }
}
