/** Pixels in memory, four bytes for each: RGBA. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly data: Buffer
}

export type Rgb = readonly [number, number, number]

export function createBlankPicture(width: number, height: number, [r, g, b]: Rgb): Picture {
  const data = Buffer.alloc(width * height * 4, 255)
  for (let offset = 0; offset < data.length; offset += 4) {
    data[offset] = r
    data[offset + 1] = g
    data[offset + 2] = b
  }
  return { width, height, data }
}

/** Blends a colour over one pixel, with `alpha` from 0 to 1. */
function blend({ width, height, data }: Picture, x: number, y: number, [r, g, b]: Rgb, alpha: number): void {
  if (x < 0 || y < 0 || x >= width || y >= height || alpha <= 0) return
  const offset = (y * width + x) * 4
  const rest = 1 - alpha
  data[offset] = (data[offset] ?? 0) * rest + r * alpha
  data[offset + 1] = (data[offset + 1] ?? 0) * rest + g * alpha
  data[offset + 2] = (data[offset + 2] ?? 0) * rest + b * alpha
}

/** Draws a smooth-edged pen stroke between two points. The width may change along the stroke. */
export function drawStroke(
  picture: Picture,
  from: readonly [number, number],
  to: readonly [number, number],
  widths: readonly [number, number],
  color: Rgb,
): void {
  const [x0, y0] = from
  const [x1, y1] = to
  const reach = Math.max(...widths) / 2 + 1
  const length2 = (x1 - x0) ** 2 + (y1 - y0) ** 2 || 1
  for (let y = Math.floor(Math.min(y0, y1) - reach); y <= Math.max(y0, y1) + reach; y += 1) {
    for (let x = Math.floor(Math.min(x0, x1) - reach); x <= Math.max(x0, x1) + reach; x += 1) {
      const fraction = Math.min(1, Math.max(0, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length2))
      const distance = Math.hypot(x - x0 - fraction * (x1 - x0), y - y0 - fraction * (y1 - y0))
      const radius = (widths[0] + (widths[1] - widths[0]) * fraction) / 2
      blend(picture, x, y, color, Math.min(1, radius - distance + 0.5))
    }
  }
}

export function fillRectangle(picture: Picture, x: number, y: number, width: number, height: number, color: Rgb): void {
  for (let row = Math.round(y); row < y + height; row += 1) {
    for (let column = Math.round(x); column < x + width; column += 1) blend(picture, column, row, color, 1)
  }
}

/** The longest edge becomes `maxEdge`; a pixel is the mean of those it covers. Never enlarges. */
export function shrinkPicture(picture: Picture, maxEdge: number): Picture {
  const scale = Math.min(1, maxEdge / Math.max(picture.width, picture.height))
  if (scale === 1) return picture
  const width = Math.max(1, Math.round(picture.width * scale))
  const height = Math.max(1, Math.round(picture.height * scale))
  const small = createBlankPicture(width, height, [255, 255, 255])
  for (let y = 0; y < height; y += 1) {
    const top = Math.floor((y * picture.height) / height)
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * picture.height) / height))
    for (let x = 0; x < width; x += 1) {
      const left = Math.floor((x * picture.width) / width)
      const right = Math.max(left + 1, Math.floor(((x + 1) * picture.width) / width))
      setMeanPixel(picture, small, (y * width + x) * 4, left, right, top, bottom)
    }
  }
  return small
}

function setMeanPixel(
  from: Picture,
  to: Picture,
  offset: number,
  left: number,
  right: number,
  top: number,
  bottom: number,
): void {
  const sum = [0, 0, 0]
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const pixel = (y * from.width + x) * 4
      for (let channel = 0; channel < 3; channel += 1)
        sum[channel] = (sum[channel] ?? 0) + (from.data[pixel + channel] ?? 0)
    }
  }
  const count = (right - left) * (bottom - top)
  for (let channel = 0; channel < 3; channel += 1) to.data[offset + channel] = Math.round((sum[channel] ?? 0) / count)
}
