/** Maximum canvas size: browsers refuse more, or it takes more memory than a page is worth. */
const MAX_CANVAS_EDGE_PX = 16_384
const MAX_CANVAS_PIXELS = 2 ** 25

/** How a PDF page is drawn. */
interface PageFit {
  /** Screen pixels per point of the page. */
  readonly scale: number
  /** Canvas pixels per point of the page. */
  readonly canvasScale: number
  /** Smaller, or coarser on the screen, than requested: no canvas could hold it. */
  readonly isLimited: boolean
}

/**
 * Fits a page of `width` x `height` points into `room` pixels, `zoom` times as wide, on a screen with `ratio` device pixels per CSS pixel.
 */
export function fitPdfPage(width: number, height: number, room: number, zoom: number, ratio: number): PageFit {
  const wanted = (room / width) * zoom
  const longest = MAX_CANVAS_EDGE_PX / Math.max(width, height)
  const scale = Math.min(wanted, longest)
  const drawn = Math.min(scale * ratio, longest, Math.sqrt(MAX_CANVAS_PIXELS / (width * height)))
  return { scale, canvasScale: drawn, isLimited: scale < wanted || drawn < scale }
}
