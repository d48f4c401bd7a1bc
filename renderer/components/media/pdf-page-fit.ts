/** Browsers refuse larger canvases, or need too much memory for them. */
const MAX_CANVAS_EDGE_PX = 16_384
const MAX_CANVAS_PIXELS = 2 ** 25

interface PageFit {
  /** CSS pixels per point of the page. */
  readonly scale: number
  /** Canvas pixels per point of the page. */
  readonly canvasScale: number
  /** True if the page is smaller or coarser than requested, because no canvas can hold it. */
  readonly isLimited: boolean
}

/**
 * Fits a page of `width` x `height` points into `availableWidth` pixels, `zoom` times as wide, on a
 * screen with `pixelRatio` device pixels per CSS pixel.
 */
export function fitPdfPage(
  width: number,
  height: number,
  availableWidth: number,
  zoom: number,
  pixelRatio: number,
): PageFit {
  const requestedScale = (availableWidth / width) * zoom
  const maxScale = MAX_CANVAS_EDGE_PX / Math.max(width, height)
  const scale = Math.min(requestedScale, maxScale)
  const canvasScale = Math.min(scale * pixelRatio, maxScale, Math.sqrt(MAX_CANVAS_PIXELS / (width * height)))
  return { scale, canvasScale, isLimited: scale < requestedScale || canvasScale < scale }
}
