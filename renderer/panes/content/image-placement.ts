/** `x`, `y` of the top left corner in CSS pixels of the box, and CSS pixels per image pixel. */
export interface ImagePlacement {
  readonly scale: number
  readonly x: number
  readonly y: number
}
interface Size {
  readonly width: number
  readonly height: number
}
export interface Point {
  readonly x: number
  readonly y: number
}

export const MIN_IMAGE_SCALE = 0.02
export const MAX_IMAGE_SCALE = 32

/** Fits an image into its box: centered and never enlarged. */
export function fitImage(image: Size, box: Size): ImagePlacement {
  const scale = Math.min(1, box.width / image.width, box.height / image.height)
  return centerImage(image, box, Number.isFinite(scale) && scale > 0 ? scale : 1)
}

/** Centers an image in its box. `scale` is CSS pixels per image pixel. */
export function centerImage(image: Size, box: Size, scale: number): ImagePlacement {
  return { scale, x: (box.width - image.width * scale) / 2, y: (box.height - image.height * scale) / 2 }
}

/** Zooms an image. The point under `anchor` stays fixed as far as the image still fills the box. */
export function zoomAtPoint(
  view: ImagePlacement,
  factor: number,
  anchor: Point,
  image: Size,
  box: Size,
): ImagePlacement {
  // A very large image may be fitted at less than the minimum zoom.
  const minScale = Math.min(MIN_IMAGE_SCALE, view.scale)
  const scale = Math.min(MAX_IMAGE_SCALE, Math.max(minScale, view.scale * factor))
  const by = scale / view.scale
  return keepInBox(
    { scale, x: anchor.x - (anchor.x - view.x) * by, y: anchor.y - (anchor.y - view.y) * by },
    image,
    box,
  )
}

export function panImage(view: ImagePlacement, by: Point, image: Size, box: Size): ImagePlacement {
  return keepInBox({ ...view, x: view.x + by.x, y: view.y + by.y }, image, box)
}

/** An image smaller than the box is centered; a larger image leaves no gap at its edges. */
function keepInBox(view: ImagePlacement, image: Size, box: Size): ImagePlacement {
  const along = (offset: number, size: number, room: number): number =>
    size <= room ? (room - size) / 2 : Math.min(0, Math.max(room - size, offset))
  return {
    scale: view.scale,
    x: along(view.x, image.width * view.scale, box.width),
    y: along(view.y, image.height * view.scale, box.height),
  }
}
