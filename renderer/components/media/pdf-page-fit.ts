/** Browsers refuse larger canvases, or need too much memory for them. */
const MAX_CANVAS_EDGE_PX = 16_384
const MAX_CANVAS_PIXELS = 2 ** 25

/** Fits `width` x `height` points `zoom` times; `pixelRatio` is device per CSS pixel. */
export function fitPdfPage(width: number, height: number, availableWidth: number, zoom: number, pixelRatio: number) {
  const requestedScale = (availableWidth / width) * zoom
  const maxScale = MAX_CANVAS_EDGE_PX / Math.max(width, height)
  /** CSS pixels per point of the page. */
  const scale = Math.min(requestedScale, maxScale)
  /** Canvas pixels per point of the page. */
  const canvasScale = Math.min(scale * pixelRatio, maxScale, Math.sqrt(MAX_CANVAS_PIXELS / (width * height)))
  return {
    scale,
    canvasScale /** True if the page is smaller or coarser than requested, because no canvas can hold it. */,
    isLimited: scale < requestedScale || canvasScale < scale,
  }
}
