/** What a canvas may measure: more is refused by browsers, or takes more memory than a page is worth. */
const MOST_EDGE = 16_384
const MOST_PIXELS = 2 ** 25

/** How a page of a PDF is drawn. */
export interface Fit {
  /** Pixels of the page on the screen for each of its points. */
  readonly scale: number
  /** Pixels of the canvas for each of its points. */
  readonly drawn: number
  /** Smaller, or coarser on the screen, than was asked for: no canvas could hold it. */
  readonly limited: boolean
}

/** Fits a page of `width` x `height` points into `room` pixels, `zoom` times as wide, on a screen with `ratio` pixels for each of CSS. */
export function fitPage(width: number, height: number, room: number, zoom: number, ratio: number): Fit {
  const wanted = (room / width) * zoom
  const longest = MOST_EDGE / Math.max(width, height)
  const scale = Math.min(wanted, longest)
  const drawn = Math.min(scale * ratio, longest, Math.sqrt(MOST_PIXELS / (width * height)))
  return { scale, drawn, limited: scale < wanted || drawn < scale }
}
